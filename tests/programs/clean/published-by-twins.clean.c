// A function that computes with what was never written, and so goes on in its careful version, publishes data.
// RUN: options --enable races
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct item {
    int used, unused;
};

static struct item copied;
static int data;
static atomic_int is_ready;

__attribute__((noinline)) static void publish(const struct item *item) {
    copied.used = item->used;
    copied.unused = item->unused + item->used;
    atomic_store_explicit(&is_ready, 1, memory_order_release);
}

static void *write_data(void *item) {
    data = 42;
    publish(item);
    return 0;
}

int main(void) {
    struct item *item = malloc(sizeof *item);
    pthread_t thread;
    if (!item) return 2;
    item->used = 1;
    if (pthread_create(&thread, 0, write_data, item)) return 2;
    while (!atomic_load_explicit(&is_ready, memory_order_acquire));
    int found = data;
    pthread_join(thread, 0);
    free(item);
    return found != 42 || copied.used != 1;
}
