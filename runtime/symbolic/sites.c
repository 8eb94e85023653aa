#include "sites.h"

#define MOST 65536u

static struct {
    uint64_t pc;
    uint32_t number;
} sites[MOST];
static uint32_t used;

uint32_t sites_number(uint64_t pc, int *is_new) {
    *is_new = 0;
    for (uint64_t i = (pc * 0x9E3779B97F4A7C15ull) >> 48;; i++) {
        uint32_t at = i % MOST;
        if (sites[at].pc == pc) return sites[at].number;
        if (sites[at].pc) continue;
        if (used >= MOST / 2) return 0;
        sites[at].pc = pc;
        *is_new = 1;
        return sites[at].number = ++used;
    }
}
