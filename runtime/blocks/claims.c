#include "claims.h"

uint8_t *claims_table;

static uint64_t page_of(uintptr_t address) { return (address - WH_HEAP_BASE) >> OS_PAGE_SHIFT; }

/* Where the table cannot be had there are no claims. */
static int make_table(void) {
    if (claims_table) return 1;
    long result = os_reserve(CLAIMS_BASE, CLAIMS_SIZE, OS_READ_WRITE);
    if (result < 0 && !claims_table) return 0; /* else another thread was quicker */
    __atomic_store_n(&claims_table, (uint8_t *)CLAIMS_BASE, __ATOMIC_RELEASE);
    return 1;
}

void claims_set(uintptr_t begin, uintptr_t end, enum claim claim) {
    if (begin >= end || !make_table()) return;
    for (uint64_t page = page_of(begin); page < page_of(end); page++)
        if (claims_table[page] < claim) claims_table[page] = (uint8_t)claim;
}

void claims_return(uintptr_t begin, uintptr_t end) {
    for (uint64_t page = page_of(begin); claims_table && page < page_of(end); page++)
        if (claims_table[page] == CLAIM_PROGRAM) claims_table[page] = CLAIM_RETIRED;
}

/* ---- looking ---- */

#define WORD_PAGES sizeof(uint64_t)

uintptr_t claims_next(uintptr_t begin, uintptr_t end) {
    if (!claims_table) return end;
    uint64_t page = page_of(begin), last = page_of(wh_round_up(end, OS_PAGE));
    while (page < last && !claims_table[page]) {
        const wh_word *word = (const wh_word *)(claims_table + page);
        page += page % WORD_PAGES == 0 && last - page >= WORD_PAGES && !*word ? WORD_PAGES : 1;
    }
    uintptr_t found = WH_HEAP_BASE + (page << OS_PAGE_SHIFT);
    return found < end ? found : end;
}

uintptr_t claims_skip(uintptr_t begin, uintptr_t end) {
    uintptr_t at = wh_round_down(begin, OS_PAGE);
    while (claims_table && at < end && claims_table[page_of(at)]) at += OS_PAGE;
    return at < end ? at : end;
}

int claims_touch(uintptr_t begin, uintptr_t end) {
    uintptr_t from = wh_round_down(begin, OS_PAGE);
    return claims_next(from, end) < end;
}

static int is_program(uintptr_t address) {
    return heap_contains(address) && claims_table[page_of(address)] == CLAIM_PROGRAM;
}

int claims_hold(uintptr_t address) { return is_program(address) && !heap_live_range(address).size; }

uintptr_t claims_end(uintptr_t address) {
    uintptr_t at = wh_round_down(address, OS_PAGE);
    while (is_program(at)) at += OS_PAGE;
    return at;
}

uintptr_t claims_owned(uintptr_t begin, uintptr_t end) {
    if (!claims_table || !heap_contains(begin)) return end;
    uintptr_t at = begin;
    while (at < end && !claims_hold(at)) at = claims_next(at + OS_PAGE, end);
    return at;
}
