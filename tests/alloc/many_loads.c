/* Loads and unloads libraries between allocations, and prints the addresses of its blocks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(const char *when) {
    static const int sizes[] = {1, 8, 24, 40, 72, 100, 200, 300, 500, 700, 1000, 1200, 2000, 4000, 70000};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *block = malloc(sizes[i]);
        memset(block, 1, sizes[i]);
        printf("%s %d %p\n", when, sizes[i], (void *)block);
        if (i % 3 == 0) free(block);
    }
}

static char *(*own)(int);

static void *thread(void *unused) {
    own(7);
    show("thread");
    return unused;
}

int main(int count, char **words) {
    show("first");
    void *library = dlopen(words[1], RTLD_NOW);
    if (!library || count < 2) return puts(dlerror());
    show("loaded");
    own = (char *(*)(int))dlsym(library, "own");
    printf("thread-local %s\n", own(3));
    show("used");
    printf("missing %d\n", dlsym(RTLD_DEFAULT, "no_such_name") == NULL && dlerror() != NULL);
    printf("missing %d\n", dlopen("./no_such_library.so", RTLD_NOW) == NULL && dlerror() != NULL);
    show("missed");
    pthread_t other;
    if (pthread_create(&other, NULL, thread, NULL) || pthread_join(other, NULL)) return 1;
    show("joined");
    if (dlclose(library)) return 1;
    show("unloaded");
    for (int i = 0; i < 5; i++) {
        library = dlopen(words[1], RTLD_LAZY | RTLD_GLOBAL);
        if (!library) return 1;
        show("again");
        dlclose(library);
    }
    return 0;
}
