#include "origin.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/closed.h"
#include "../process/images.h"
#include "../stacks/depot.h"

/* ---- stacks ---- */

#define DIGITS_MASK ((1ull << (8 * WH_STACK_ORIGIN_DIGITS)) - 1)
/* In each byte the bits that no digit has. */
#define NO_DIGIT (0xffull & ~ORIGIN_DIGIT_MASK)
#define NO_DIGITS (NO_DIGIT * 0x0101010101010101ull & DIGITS_MASK)

uint32_t origin_stack(uint64_t origin) {
    /* The lowest byte that is less than that of the base leaves one of those bits. */
    uint64_t digits = origin - WH_STACK_ORIGIN, stack = 0;
    if (digits & ~(DIGITS_MASK & ~NO_DIGITS)) return 0;
    for (unsigned i = 0; i < WH_STACK_ORIGIN_DIGITS; i++)
        stack |= (digits >> (8 * i) & ORIGIN_DIGIT_MASK) << (WH_STACK_ORIGIN_DIGIT_BITS * i);
    return depot_has((uint32_t)stack) ? (uint32_t)stack : 0;
}

/* ---- constants ---- */

/* Those that were found to be there. They are not looked at again: it takes a system call. */
#define KEPT (1u << 12)
static uint64_t found[KEPT];
/* Addresses in images where there is none: those of words of which a byte was overwritten. */
static uint64_t absent[KEPT];

static uint64_t *entry_of(uint64_t *kept, uint64_t address) { return &kept[(address >> 3) % KEPT]; }

static int is_kept(uint64_t *kept, uint64_t address, uint64_t as) {
    return __atomic_load_n(entry_of(kept, address), __ATOMIC_RELAXED) == as;
}

static void keep(uint64_t *kept, uint64_t address, uint64_t as) {
    __atomic_store_n(entry_of(kept, address), as, __ATOMIC_RELAXED);
}

static int is_found(uint64_t address) { return is_kept(found, address, address); }

/* Other images may have one there. */
static uint64_t as_absent(uint64_t address) {
    return address | (uint64_t)images_version() << WH_ADDRESS_BITS;
}

uint64_t origin_of_constant(uint64_t address) {
    return address + (address & WH_ORIGIN_BYTE_MASK ? 0 : WH_ORIGIN_SHIFTED);
}

/* The address of the constant that an origin may be. */
static uint64_t address_of(uint64_t origin) {
    int is_shifted = origin % WH_ORIGIN_PLACE_UNIT ==
                     (WH_ORIGIN_CONSTANT_PLACE + WH_ORIGIN_SHIFTED) % WH_ORIGIN_PLACE_UNIT;
    return is_shifted ? origin - WH_ORIGIN_SHIFTED : origin;
}

static int has_magic(uint64_t address) {
    struct whence_undefined constant;
    uintptr_t there = (uintptr_t)closed_kept((const void *)address);
    return there && os_copy(&constant, there, sizeof constant) &&
           constant.magic == WHENCE_UNDEFINED_MAGIC;
}

static int is_constant(uint64_t origin) {
    uint64_t address = address_of(origin);
    if (is_found(address)) return 1;
    if (address % WH_ORIGIN_PLACE_UNIT != WH_ORIGIN_CONSTANT_PLACE) return 0;
    uint64_t last = address + sizeof(struct whence_undefined) - 1;
    if ((address ^ last) / OS_PAGE) return 0;
    uint64_t none = as_absent(address);
    if (is_kept(absent, address, none) || !images_hold(address)) return 0;
    int there = has_magic(address);
    keep(there ? found : absent, address, there ? address : none);
    return there;
}

const char *origin_text(uint64_t origin) {
    if (!origin || !is_constant(origin)) return NULL;
    const struct whence_undefined *constant = closed_kept((const void *)address_of(origin));
    return constant ? (const char *)(constant + 1) : NULL;
}

int origin_is_valid(uint64_t origin) {
    if (!origin) return 0;
    return origin == WH_UNKNOWN_ORIGIN || is_found(address_of(origin)) || origin_stack(origin) ||
           is_constant(origin);
}
