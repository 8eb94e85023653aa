/* Memory of the dynamic loader: names and tables of libraries, storage of thread-local variables.
 *
 * The loader requests it through the program's malloc. What it requests depends on where
 * libraries lie, and those of a checked run lie elsewhere than those of a replay. It gets a range
 * of its own, so that the addresses of the program's blocks do not depend on it. This memory is no
 * block: rules do not apply to it, and a leak search reads it as it reads variables.
 */
#ifndef WHENCE_ALLOC_LOADER_H
#define WHENCE_ALLOC_LOADER_H

#include <stddef.h>
#include <stdint.h>
#include "../os/mem.h"
#include "whence_abi.h"

/* Where the loader's code lies. All addresses, until loader_reserve has been called. */
extern struct loader_code {
    uintptr_t begin;
    size_t size;
} loader_code;

static inline int loader_runs(const void *code) {
    return (uintptr_t)code - loader_code.begin < loader_code.size;
}

/* Whether memory in use begins here. */
int loader_begins(uintptr_t address);
static inline int loader_owns(uintptr_t address) {
    return WH_UNLIKELY(address - WH_LOADER_BASE < WH_LOADER_SIZE) && loader_begins(address);
}

/* Reserves the range: 0, or -errno. */
long loader_reserve(void);
/* Zeroed memory at a multiple of 16; NULL if there is no more. */
void *loader_new(size_t size);
/* Of memory in use. */
void loader_free(uintptr_t address);
size_t loader_size(uintptr_t address);

/* Around fork. */
void loader_lock(void);
void loader_unlock(void);

#endif
