/* Synthetic loads: churn WHAT THREADS OPERATIONS. Prints how many requests and frees were made.
 *
 * pairs   one size, freed at once          small   sizes to 256 bytes, random lifetimes
 * sizes   sizes to 64 KiB, geometric       pass    like small, and every 64th block is freed by
 * grow    arrays that grow by realloc              the next thread */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIVE 4096u
#define THREADS_MOST 64

static const char *what;
static long operations;
static int threads;

struct worker {
    pthread_t thread;
    uint64_t random;
    void *mail; /* a block for this worker to free */
    char pad[64];
};
static struct worker workers[THREADS_MOST];

static uint64_t next(struct worker *self) {
    self->random ^= self->random << 13;
    self->random ^= self->random >> 7;
    self->random ^= self->random << 17;
    return self->random;
}

static void *make(size_t size) {
    char *block = malloc(size);
    if (!block) abort();
    block[0] = block[size - 1] = 1;
    return block;
}

static void pairs(void) {
    for (long i = 0; i < operations / 2; i++) free(make(64));
}

static size_t size_for(uint64_t random) {
    if (!strcmp(what, "sizes")) return ((size_t)16 << random % 12) + (random >> 32) % 16;
    return 1 + random % 256;
}

static void churn(struct worker *self, int pass) {
    void **live = calloc(LIVE, sizeof *live);
    struct worker *other = &workers[(self - workers + 1) % threads];
    for (long i = 0; i < operations / 2; i++) {
        uint64_t random = next(self);
        unsigned at = (unsigned)(random >> 40) % LIVE;
        void *old = live[at];
        if (pass && i % 64 == 0) {
            old = __atomic_exchange_n(&other->mail, old, __ATOMIC_ACQ_REL);
            free(__atomic_exchange_n(&self->mail, NULL, __ATOMIC_ACQ_REL));
        }
        free(old);
        live[at] = make(size_for(random));
    }
    for (unsigned i = 0; i < LIVE; i++) free(live[i]);
    free(live);
}

static void grow(void) {
    for (long done = 0; done < operations;) {
        char *array = NULL;
        for (size_t size = 16; size < 1 << 20; size += size / 2, done++) {
            array = realloc(array, size);
            if (!array) abort();
            array[size - 1] = 1;
        }
        free(array);
    }
}

static void *work(void *argument) {
    if (!strcmp(what, "pairs"))
        pairs();
    else if (!strcmp(what, "grow"))
        grow();
    else
        churn(argument, !strcmp(what, "pass"));
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    what = argv[1];
    threads = atoi(argv[2]);
    operations = atol(argv[3]);
    if (threads < 1 || threads > THREADS_MOST) return 2;
    for (int i = 0; i < threads; i++) workers[i].random = 88172645463325252ull + (uint64_t)i;
    for (int i = 1; i < threads; i++) pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    work(&workers[0]);
    for (int i = 1; i < threads; i++) pthread_join(workers[i].thread, NULL);
    printf("%ld\n", operations * threads);
    return 0;
}
