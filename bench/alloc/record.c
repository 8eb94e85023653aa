/* Preloaded into a program of one thread: writes its requests to the file WHENCE_TRACE.
 *
 * An event is two u32: the number of the block, which is used again after a free, and the size asked
 * for, or TRACE_FREE. A realloc of a live block has the highest bit of the number set. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
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
#define EVENTS_MOST (1ull << 28)

static struct {
    uintptr_t pointer;
    uint32_t number;
} *table;
static uint32_t *unused;
static uint32_t unused_count, next_number;
static struct trace *trace;

static void *map(size_t size) {
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                0);
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("WHENCE_TRACE");
    if (!path) return;
    int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file < 0) return; /* a child of the program */
    size_t size = sizeof *trace + EVENTS_MOST * sizeof *trace->events;
    if (ftruncate(file, (off_t)size)) _exit(125);
    table = map(TABLE * sizeof *table);
    unused = map(TABLE * sizeof *unused);
    trace = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

static uint32_t slot_of(uintptr_t pointer) {
    uint32_t at = (uint32_t)(pointer * 0x9e3779b97f4a7c15ull >> 40) % TABLE;
    while (table[at].pointer && table[at].pointer != pointer) at = (at + 1) % TABLE;
    return at;
}

static void put(uint32_t number, uint32_t size) {
    if (trace->count < EVENTS_MOST) trace->events[trace->count++] = (struct event){number, size};
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
    if (!trace || !pointer) return pointer;
    uint32_t number = unused_count ? unused[--unused_count] : next_number++;
    enter(pointer, number);
    put(number, short_size(size));
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
    if (trace && pointer && leave(pointer, &number)) {
        put(number, TRACE_FREE);
        unused[unused_count++] = number;
    }
    __libc_free(pointer);
}

void *realloc(void *pointer, size_t size) {
    uint32_t number;
    if (!trace || !pointer || !size || !leave(pointer, &number)) {
        if (pointer && size) return __libc_realloc(pointer, size);
        if (!pointer) return malloc(size);
        free(pointer);
        return NULL;
    }
    void *fresh = __libc_realloc(pointer, size);
    enter(fresh ? fresh : pointer, number);
    if (fresh) put(number | TRACE_REALLOC, short_size(size));
    return fresh;
}
