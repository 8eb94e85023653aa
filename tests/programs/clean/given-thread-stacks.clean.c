// Threads whose stacks are memory of the program, some as small as the C library takes.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

enum { SMALL = 16 << 10, LARGE = 256 << 10 };

static char *last; // an address in the stack of the thread that ran last

static void *work(void *argument) {
    char text[2000];
    sigset_t blocked;
    memset(text, 1, sizeof text);
    last = text;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    *(int *)argument = text[1999] + sigismember(&blocked, SIGUSR2);
    return NULL;
}

// The result of a thread on a stack at an address.
static int run(char *stack, size_t size, const sigset_t *mask) {
    pthread_attr_t attributes;
    pthread_t thread;
    void *place = NULL;
    size_t placed = 0;
    int result = 0;
    if (pthread_attr_init(&attributes) || pthread_attr_setstack(&attributes, stack, size))
        return -1;
    if (mask && pthread_attr_setsigmask_np(&attributes, mask))
        return -2;
    if (pthread_create(&thread, &attributes, work, &result) || pthread_join(thread, NULL))
        return -3;
    pthread_attr_getstack(&attributes, &place, &placed); // they are as the program set them
    pthread_attr_destroy(&attributes);
    return place == stack && placed == size ? result : -4;
}

int main(void) {
    sigset_t mask;
    char *memory = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 1;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    for (int i = 0; i < 100; i++)
        if (run(memory, SMALL, NULL) != 1)
            return 2;
    if (run(memory, SMALL, &mask) != 2)
        return 3;
    if (run(memory, LARGE, NULL) != 1 || last < memory || last >= memory + LARGE)
        return 4;
    return munmap(memory, LARGE) != 0;
}
