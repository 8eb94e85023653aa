// A thread uses a thread-local variable that it has made inaccessible.
// RUN: cflags -pthread
#include <pthread.h>
#include <stddef.h>

void __asan_poison_memory_region(const volatile void *, size_t);

static __thread long values[2];
static long *volatile used;

static void *closes(void *unused) {
    __asan_poison_memory_region(values, sizeof values);
    used = values;
    used[0] = 1; // EXPECT use-after-poison write 8
    return unused;
}

static void *uses(void *unused) {
    used = values;
    used[1] = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, closes, NULL);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, uses, NULL);
    pthread_join(thread, NULL);
    return 0;
}
