/* Preloaded into a program: writes its requests to the file WHENCE_TRACE.
 *
 * An event has the number of the block, which the thread that frees it uses again, and the size asked
 * for, or TRACE_FREE. A realloc of a live block has the highest bit of the number set. A program of
 * too many threads or requests is ended. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "trace.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *pointer, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *pointer);

#define TABLE (1u << 24)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that follows */
static struct {
    uintptr_t pointer;
    uint32_t number;
} *table;
static uint32_t *turns;
static struct trace *trace;

static __thread int thread = -1;
static __thread struct {
    uint32_t *numbers;
    uint32_t count;
} unused;

static void *map(size_t size) {
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                0);
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("WHENCE_TRACE");
    if (!path) return;
    int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file < 0) return; /* a child of the program */
    if (ftruncate(file, sizeof *trace)) _exit(125);
    table = map(TABLE * sizeof *table);
    turns = map(TABLE * sizeof *turns);
    trace = mmap(NULL, sizeof *trace, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

/* Whether requests of this thread are recorded. */
static int here(void) {
    if (!trace) return 0;
    if (thread >= 0) return 1;
    if (trace->threads == TRACE_THREADS) _exit(125);
    unused.numbers = map(TABLE * sizeof *unused.numbers);
    thread = (int)trace->threads++;
    return 1;
}

static uint32_t slot_of(uintptr_t pointer) {
    uint32_t at = (uint32_t)(pointer * 0x9e3779b97f4a7c15ull >> 40) % TABLE;
    while (table[at].pointer && table[at].pointer != pointer) at = (at + 1) % TABLE;
    return at;
}

static void put(uint32_t number, uint32_t size) {
    uint32_t turn = turns[number & ~TRACE_REALLOC]++;
    if (trace->counts[thread] == TRACE_EVENTS) _exit(125);
    trace->events[thread][trace->counts[thread]++] = (struct event){number, size, turn};
}

static uint32_t short_size(size_t size) {
    return size < TRACE_FREE ? (uint32_t)size : TRACE_FREE - 1;
}

static void enter(void *pointer, uint32_t number) {
    uint32_t at = slot_of((uintptr_t)pointer);
    table[at].pointer = (uintptr_t)pointer;
    table[at].number = number;
}

static void *born(void *pointer, size_t size) {
    if (!pointer) return NULL;
    pthread_mutex_lock(&lock);
    if (here()) {
        uint32_t number = unused.count ? unused.numbers[--unused.count] : trace->numbers++;
        enter(pointer, number);
        put(number, short_size(size));
    }
    pthread_mutex_unlock(&lock);
    return pointer;
}

/* Takes a pointer out of the table; the entries behind it close up. 0 if it is not there. */
static int leave(void *pointer, uint32_t *number) {
    uint32_t at = slot_of((uintptr_t)pointer);
    if (!table[at].pointer) return 0;
    *number = table[at].number;
    table[at].pointer = 0;
    for (uint32_t i = (at + 1) % TABLE; table[i].pointer; i = (i + 1) % TABLE) {
        uintptr_t moved = table[i].pointer;
        uint32_t its = table[i].number;
        table[i].pointer = 0;
        enter((void *)moved, its);
    }
    return 1;
}

void *malloc(size_t size) { return born(__libc_malloc(size), size); }

void *calloc(size_t number, size_t size) {
    return born(__libc_calloc(number, size), number * size);
}

void *memalign(size_t alignment, size_t size) {
    return born(__libc_memalign(alignment, size), size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    *result = memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}

void free(void *pointer) {
    uint32_t number;
    pthread_mutex_lock(&lock);
    if (pointer && here() && leave(pointer, &number)) {
        put(number, TRACE_FREE);
        unused.numbers[unused.count++] = number;
    }
    pthread_mutex_unlock(&lock);
    __libc_free(pointer);
}

void *realloc(void *pointer, size_t size) {
    uint32_t number;
    if (!pointer) return malloc(size);
    if (!size) {
        free(pointer);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    int known = here() && leave(pointer, &number);
    pthread_mutex_unlock(&lock);
    void *fresh = __libc_realloc(pointer, size);
    if (!known) return fresh;
    pthread_mutex_lock(&lock);
    enter(fresh ? fresh : pointer, number);
    if (fresh) put(number | TRACE_REALLOC, short_size(size));
    pthread_mutex_unlock(&lock);
    return fresh;
}
