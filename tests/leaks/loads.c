/* Has a loaded library keep a block in its thread-local storage, in two threads. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void (*keep)(int);
static pthread_barrier_t meeting;

static void *run(void *unused) {
    keep(77);
    pthread_barrier_wait(&meeting);
    for (;;) pause();
    return unused;
}

int main(int argc, char **argv) {
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library) return 1;
    keep = (void (*)(int))dlsym(library, "keep");
    keep(55);
    pthread_t thread;
    pthread_barrier_init(&meeting, NULL, 2);
    pthread_create(&thread, NULL, run, NULL);
    pthread_barrier_wait(&meeting);
    return 0;
}
