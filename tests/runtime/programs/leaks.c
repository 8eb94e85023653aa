#include "common.h"
struct node {
    struct node *next;
    char more[40];
};
static struct node *global;
static __thread void *local;
static pthread_barrier_t barrier;
NOINLINE static struct node *new_node(struct node *next) {
    struct node *node = calloc(1, sizeof *node);
    node->next = next;
    return node;
}
NOINLINE static void clean_stack(void) {
    volatile char area[4096];
    memset((char *)area, 0, sizeof area);
}
NOINLINE static void lose(int count) {
    for (int i = 0; i < count; i++) {
        volatile void *p = malloc(100);
        p = 0;
        (void)p;
    }
}
static void *hold(void *unused) {
    void *volatile mine = malloc(77);
    local = malloc(78);
    pthread_barrier_wait(&barrier);
    for (;;) pause();
    (void)mine;
    return unused;
}
static void *end_at_once(void *unused) {
    void *volatile p = malloc(90);
    (void)p;
    return unused;
}
NOINLINE static void transaction(int leak) {
    __whence_call(__whence_watch("transaction"), 0, 0, (uint64_t)leak, 0, 0, 0, 0, 0);
    void *kept = malloc(50);
    void *volatile lost = leak ? malloc(60) : NULL;
    lost = NULL;
    (void)lost;
    __whence_ret(__whence_watch("transaction"), 0, 0, 0, 0, 0, 0, 0, 0);
    free(kept);
}
NOINLINE static void leave(void) {
    void *volatile mine = malloc(44);
    (void)mine;
    exit(0);
}
int main(int argc, char **argv) {
    if (IS("none")) free(malloc(10));
    if (IS("lost")) lose(5);
    if (IS("local")) {
        void *volatile p = malloc(10);
        (void)p;
    }
    if (IS("global")) global = new_node(new_node(NULL));
    if (IS("chain")) {
        struct node *volatile p = new_node(new_node(new_node(NULL)));
        p = NULL;
        (void)p;
    }
    if (IS("tls")) local = malloc(30);
    if (IS("setspecific")) {
        pthread_key_t key;
        pthread_key_create(&key, NULL);
        pthread_setspecific(key, malloc(30));
    }
    if (IS("exit")) leave();
    if (IS("mapped")) {
        extern void *mmap(void *, size_t, int, int, int, long);
        void **page = mmap(0, 4096, 3, 0x22, -1, 0);
        page[7] = malloc(20);
    }
    if (IS("stdio")) {
        printf("hello\n");
        setenv("A", "b", 1);
    }
    if (IS("thread")) {
        pthread_t thread;
        pthread_barrier_init(&barrier, 0, 2);
        pthread_create(&thread, 0, hold, 0);
        pthread_barrier_wait(&barrier);
    }
    if (IS("dead-thread")) {
        pthread_t thread;
        pthread_create(&thread, 0, end_at_once, 0);
        pthread_join(thread, 0);
    }
    if (IS("transaction"))
        for (int i = 0; i < 3; i++) {
            transaction(i > 0);
            clean_stack();
        }
    if (IS("transaction-good")) {
        transaction(0);
        transaction(0);
    }
    clean_stack();
    return 3;
}
