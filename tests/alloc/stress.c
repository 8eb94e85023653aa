/* stress THREADS ROUNDS: blocks of all sizes and kinds, each filled with a byte of its own, which must
 * still be there when the block is resized or freed, by whichever thread. */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIVE 96
#define THREADS_MOST 8
#define PROBES 64

struct held {
    unsigned char *begin;
    size_t size;
    unsigned char byte;
};
struct worker {
    pthread_t thread;
    uint64_t random;
    struct held live[LIVE];
};
static struct worker workers[THREADS_MOST];
static struct held mail;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long rounds;

static uint64_t next(struct worker *self) {
    self->random = self->random * 6364136223846793005ull + 1442695040888963407ull;
    return self->random >> 16;
}

static void must(int good, const char *what, const struct held *held) {
    if (good) return;
    printf("%s: block %p of %zu bytes\n", what, (void *)held->begin, held->size);
    exit(1);
}

/* Bytes at both ends and some between. */
static void put(struct held *held, unsigned char byte) {
    size_t step = held->size / PROBES + 1;
    held->byte = byte;
    for (size_t i = 0; i < held->size; i += step) held->begin[i] = byte;
    if (held->size) held->begin[held->size - 1] = byte;
}

static void check(const struct held *held, size_t size, unsigned char byte, const char *what) {
    size_t step = held->size / PROBES + 1;
    for (size_t i = 0; i < size; i += step) must(held->begin[i] == byte, what, held);
    if (size == held->size && size) must(held->begin[size - 1] == byte, what, held);
}

static size_t some_size(struct worker *self) {
    uint64_t random = next(self);
    return (random >> 8) % ((size_t)1 << random % 22) + random % 3;
}

static void make(struct worker *self, struct held *held) {
    held->size = some_size(self);
    uint64_t way = next(self) % 8;
    if (way == 0) {
        held->begin = calloc(1, held->size);
        check(held, held->size, 0, "not zero");
    } else if (way == 1) {
        size_t alignment = (size_t)32 << next(self) % 9;
        held->begin = aligned_alloc(alignment, held->size);
        must((uintptr_t)held->begin % alignment == 0, "not aligned", held);
    } else {
        held->begin = malloc(held->size);
    }
    must(held->begin != NULL && (uintptr_t)held->begin % 16 == 0, "no block", held);
    put(held, (unsigned char)(next(self) | 1));
}

static void resize(struct worker *self, struct held *held) {
    struct held old = *held;
    size_t most = held->size + held->size / 2 + 100;
    size_t size = next(self) % 3 ? most : next(self) % most + 1;
    size_t kept = size < old.size ? size : old.size, step = old.size / PROBES + 1;
    held->begin = realloc(old.begin, size);
    held->size = size;
    must(held->begin != NULL, "no other size", held);
    for (size_t i = 0; i < kept; i += step) must(held->begin[i] == old.byte, "lost", held);
    must(malloc_usable_size(held->begin) >= size, "too small", held);
    put(held, old.byte);
}

static void pass_on(struct held *held) {
    pthread_mutex_lock(&lock);
    struct held other = mail;
    mail = *held;
    *held = other;
    pthread_mutex_unlock(&lock);
}

static void *work(void *argument) {
    struct worker *self = argument;
    for (long i = 0; i < rounds; i++) {
        struct held *held = &self->live[next(self) % LIVE];
        uint64_t what = next(self) % 8;
        if (what == 0) pass_on(held);
        if (held->begin) check(held, held->size, held->byte, "overwritten");
        if (held->begin && what < 4 && held->size && held->size < 4000000) {
            resize(self, held);
        } else {
            free(held->begin);
            make(self, held);
        }
    }
    for (int i = 0; i < LIVE; i++) free(self->live[i].begin);
    return NULL;
}

int main(int count, char **words) {
    int threads = count > 2 ? atoi(words[1]) : 1;
    rounds = count > 2 ? atol(words[2]) : 1000;
    for (int i = 0; i < threads; i++) workers[i].random = (uint64_t)i + 1;
    for (int i = 1; i < threads; i++) pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    work(&workers[0]);
    for (int i = 1; i < threads; i++) pthread_join(workers[i].thread, NULL);
    free(mail.begin);
    puts("good");
    return 0;
}
