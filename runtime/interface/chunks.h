/* The table of chunks that a program's own allocator has allocated: pool, address, size. In a
 * search for leaks they are blocks (ROOMS_HANDED_OUT), where no chunk lies in them. */
#ifndef WHENCE_INTERFACE_CHUNKS_H
#define WHENCE_INTERFACE_CHUNKS_H

#include <stdint.h>

struct chunk {
    uintptr_t begin; /* 0: the entry is empty; 1: it was removed */
    uint64_t size;
    uintptr_t pool;
    uint64_t id; /* the time at which it was handed out; 0: it is no block that may leak */
    uint32_t stack, thread;
    uint32_t flags; /* of a pool */
};

/* The caller of the functions below holds the lock. */
void chunks_lock(void);
void chunks_unlock(void);

/* 0 if there is no memory for the entry. Chunks at 0 and 1 are not kept. */
int chunks_add(struct chunk chunk);
/* Removes the chunk at an address from its pool and returns it; begin 0 if there is none. */
struct chunk chunks_remove(uintptr_t pool, uintptr_t begin);
/* The chunk at an address of a pool; begin 0 if there is none. */
struct chunk chunks_find(uintptr_t pool, uintptr_t begin);
/* Calls `visit` for every chunk of a pool, and removes the chunks for which it returns 1. */
void chunks_each(uintptr_t pool, int (*visit)(struct chunk *chunk, void *data), void *data);

#endif
