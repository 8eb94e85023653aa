// Atomic operations of every width on the last bytes of blocks, and a lock-free stack that frees
// its nodes at the end.
// RUN: cflags -pthread -mcx16
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static _Atomic(struct node *) top;

static void *push(void *unused) {
    for (int i = 0; i < 1000; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = 1;
        n->next = atomic_load(&top);
        while (!atomic_compare_exchange_weak(&top, &n->next, n))
            ;
    }
    return NULL;
}

int main(void) {
    char *p = calloc(1, 15);
    __atomic_fetch_add((long *)p, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_or((int *)(p + 8), 2, __ATOMIC_RELAXED);
    __atomic_exchange_n((short *)(p + 12), 3, __ATOMIC_ACQUIRE);
    __atomic_store_n(p + 14, 4, __ATOMIC_RELEASE);
    int ok = __atomic_load_n(p + 14, __ATOMIC_ACQUIRE) == 4;
    free(p);
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, push, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    int sum = 0;
    while (top) {
        struct node *n = top;
        top = n->next;
        sum += n->value;
        free(n);
    }
    return !(ok && sum == 3000);
}
