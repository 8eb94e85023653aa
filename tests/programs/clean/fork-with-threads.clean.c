// A child of fork makes a thread, and uses memory that its parent's other thread has written.
// RUN: options --enable races
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int is_filled;
static int filled, seen;

static void *fill(void *unused) {
    (void)unused;
    filled = 3;
    atomic_store_explicit(&is_filled, 1, memory_order_relaxed);
    for (;;) pause();
    return NULL;
}

static void *look(void *unused) {
    (void)unused;
    seen = filled;
    return NULL;
}

int main(void) {
    pthread_t thread;
    int status;
    if (pthread_create(&thread, NULL, fill, NULL)) return 2;
    while (!atomic_load_explicit(&is_filled, memory_order_relaxed)) sched_yield();
    pid_t child = fork();
    if (!child) { /* has memory of its own, and none of its threads writes there */
        if (pthread_create(&thread, NULL, look, NULL)) _exit(2);
        int before = filled;
        pthread_join(thread, NULL);
        _exit(before != 3 || seen != 3);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) return 2;
    return !WIFEXITED(status) || WEXITSTATUS(status);
}
