/* What it allocates is known: test_heap_counts.py has the numbers. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <signal.h>

static void *kept[64];
#define APART __attribute__((noinline))

static APART char *grow(void) {
    char *text = NULL;
    for (int i = 1; i <= 10; i++) text = realloc(text, (size_t)i * 1000);
    return text;
}

static APART void temporaries(void) {
    for (int i = 0; i < 100; i++) {
        char *volatile made = malloc(10);
        free(made);
    }
}

static APART void *cleared(void) { return calloc(10, 100); }

static APART void *aligned(void) {
    void *made = NULL;
    return posix_memalign(&made, 256, 200) ? NULL : made;
}

static APART void *large(void) { return malloc(3 << 20); }

static APART void *make(size_t size) { return malloc(size); }

static void ways(void) {
    char *first = make(5000), *grown = grow();
    temporaries();
    free(first);
    kept[0] = cleared();
    kept[1] = aligned();
    free(grown);
}

static void *work(void *unused) {
    for (int i = 0; i < 1000; i++) {
        void *volatile one = make(100), *volatile other = make(50);
        free(one);
        free(other);
    }
    return unused;
}

static void threads(void) {
    pthread_t made[4];
    for (int i = 0; i < 4; i++) pthread_create(&made[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++) pthread_join(made[i], NULL);
}

static void forks(void) {
    if (fork() == 0) {
        kept[1] = realloc(kept[1], 5000);
        free(kept[2]);
        _exit(0);
    }
    wait(NULL);
    if (fork() == 0) _exit(0); /* allocates nothing */
    wait(NULL);
    kept[20] = make(77);
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "nothing";
    if (!strcmp(what, "nothing")) return 0;
    if (!strcmp(what, "loads")) return dlopen("libnone.so", RTLD_NOW) != NULL;
    if (!strcmp(what, "little")) return kept[0] = make(333), 0;
    if (!strcmp(what, "ways")) ways();
    if (!strcmp(what, "threads")) threads();
    if (!strcmp(what, "large")) kept[0] = large(), free(large());
    if (!strcmp(what, "many"))
        for (int i = 0; i < 20000; i++) {
            void *volatile made = make((size_t)i % 500 + 1);
            free(made);
        }
    for (int i = 1; i <= 10 && strlen(what) == 4 && strcmp(what, "ways") && strcmp(what, "many");
         i++)
        kept[i] = make(1000);
    if (!strcmp(what, "fork")) forks();
    if (!strcmp(what, "kill")) kill(getpid(), SIGKILL);
    if (!strcmp(what, "exec")) {
        if (fork() == 0) execl(words[0], words[0], "little", NULL);
        wait(NULL);
        execl(words[0], words[0], "little", NULL);
    }
    if (!strcmp(what, "over")) ((char *volatile)kept[1])[1000] = 1;
    return 0;
}
