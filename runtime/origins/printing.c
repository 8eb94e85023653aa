#include "printing.h"
#include "cells.h"
#include "given.h"
#include "written.h"

static struct whence_origin_site *copy_site(struct whence_origin_site *call) { return call + 1; }
static struct whence_origin_site *number_site(struct whence_origin_site *call) { return call + 2; }

struct whence_origin_site *printing_call(const char *function) { return written_call(function); }

/* What nothing is known of stays what the function has written. */
void printing_text(struct whence_origin_site *call, uintptr_t to, uintptr_t from, uint64_t size) {
    uint64_t given = given_copied_there(copy_site(call), to, from, size);
    for (uint64_t begin = given, end; begin < size; begin = end + 1) {
        end = begin;
        while (end < size && cells_now(from + end, 1)) end++;
        __whence_origin_copy(copy_site(call), to + begin, from + begin, end - begin);
    }
}

void printing_number(struct whence_origin_site *call, uintptr_t to, uint64_t size, uintptr_t value,
                     int is_copy) {
    uint32_t node = cells_now(value, sizeof(uint32_t));
    if (!node || !size) return;
    struct whence_origin_site *site = is_copy ? copy_site(call) : number_site(call);
    node = node_step(site, cells_own(site, node, value, sizeof(uint32_t)));
    if (node) cells_set(site, node, to, size);
}
