/* Global variables that are still to be initialised by code that runs before main.
 *
 * All variables of an image are handed over before the first initialiser runs, and leave where
 * their own begins. So the table is empty while main runs, and a generated check is one test of the
 * count. */
#include "order.h"
#include "../os/os.h"

#define PENDING_MOST 65536u /* further variables are not judged */

WH_EXPORT uint32_t __whence_pending_count;

static struct {
    uintptr_t begin, end;
} pending[PENDING_MOST];
static struct os_lock lock;

void order_lock(void) { os_lock(&lock); }

void order_unlock(void) { os_unlock(&lock); }

WH_EXPORT void __whence_pending(uint64_t begin, uint64_t size) {
    os_lock(&lock);
    uint32_t count = __whence_pending_count;
    if (count < PENDING_MOST) {
        pending[count].begin = begin;
        pending[count].end = begin + size;
        __atomic_store_n(&__whence_pending_count, count + 1, __ATOMIC_RELAXED);
    }
    os_unlock(&lock);
}

/* The number of the variable's row; the count if it has none. */
static uint32_t row_of(uintptr_t address) {
    uint32_t i = 0;
    while (i < __whence_pending_count && (address < pending[i].begin || address >= pending[i].end))
        i++;
    return i;
}

WH_EXPORT void __whence_initializes(uint64_t begin) {
    os_lock(&lock);
    uint32_t row = row_of(begin), count = __whence_pending_count;
    if (row < count) {
        pending[row] = pending[count - 1];
        __atomic_store_n(&__whence_pending_count, count - 1, __ATOMIC_RELAXED);
    }
    os_unlock(&lock);
}

int order_is_early(uintptr_t address) {
    os_lock(&lock);
    int found = row_of(address) < __whence_pending_count;
    os_unlock(&lock);
    return found;
}
