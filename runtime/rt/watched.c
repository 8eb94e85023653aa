#include "watched.h"
#include "../findings/rules.h"
#include "../os/mem.h"
#include "../process/thread.h"

/* Few: what modules of the program define or take the address of, and what they ask dlsym for. */
struct watched {
    struct watched *up;
    uint64_t number;
    uintptr_t address;
    uint64_t checked;
};

static struct watched *functions;

WH_EXPORT uint64_t __whence_watched_bits;

/* Functions lie at multiples of 16; generated code computes the same. */
static uint64_t bit_of(uintptr_t address) { return 1ull << ((address >> 4) & 63); }

WH_EXPORT void __whence_watched(uint64_t number, uint64_t address, uint64_t checked) {
    thread_here();
    struct watched *fresh = address ? rt_private(sizeof *fresh) : NULL;
    if (!fresh) return;
    *fresh =
        (struct watched){__atomic_load_n(&functions, __ATOMIC_ACQUIRE), number, address, checked};
    while (!__atomic_compare_exchange_n(&functions, &fresh->up, fresh, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_ACQUIRE))
        continue;
    if (!checked) __atomic_fetch_or(&__whence_watched_bits, bit_of(address), __ATOMIC_RELEASE);
}

static const struct watched *find(uintptr_t address) {
    const struct watched *found = NULL;
    for (const struct watched *each = __atomic_load_n(&functions, __ATOMIC_ACQUIRE); each;
         each = each->up)
        if (each->address == address && (!found || each->checked)) found = each;
    return found;
}

WH_EXPORT void __whence_looked_up(const char *name, uint64_t address) {
    uint64_t number = address && name ? rules_function(name) : UINT64_MAX;
    if (number != UINT64_MAX && !find(address)) __whence_watched(number, address, 0);
}

uint64_t watched_outside(uint64_t number, uintptr_t callee) {
    const struct watched *found = find(callee);
    if (!found) return number;
    return found->checked ? UINT64_MAX : found->number;
}
