#include "printing.h"
#include "../process/kind.h"
#include "cells.h"
#include "given.h"
#include "passing.h"

/* What nothing is known of stays what the function has written. */
void printing_copies(struct whence_origin_site *site, uintptr_t to, uintptr_t from, uint64_t size) {
    uint64_t given = given_copied_there(site, to, from, size);
    int is_global = kind_of(from) == WH_KIND_GLOBAL;
    for (uint64_t begin = given, end; begin < size; begin = end + 1) {
        end = begin;
        while (end < size &&
               (cells_now(from + end, 1) || (is_global && cells_are_initial(from + end))))
            end++;
        __whence_origin_copy(site, to + begin, from + begin, end - begin);
    }
}

void printing_text(struct whence_origin_site *call, uintptr_t to, uintptr_t from, uint64_t size) {
    printing_copies(printing_copy(call), to, from, size);
}

static void put(struct whence_origin_site *site, uint32_t node, uintptr_t to, uint64_t size) {
    uint32_t made = node ? node_step(site, node) : 0;
    if (made && size) cells_set(site, made, to, size);
}

void printing_number(struct whence_origin_site *call, uintptr_t to, uint64_t size, uintptr_t value,
                     int is_copy) {
    struct whence_origin_site *site = is_copy ? printing_copy(call) : printing_made(call);
    uint32_t node = cells_now(value, sizeof(uint32_t));
    put(site, node ? cells_own(site, node, value, sizeof(uint32_t)) : 0, to, size);
}

void printing_argument(struct whence_origin_site *call, uintptr_t to, uint64_t size, unsigned index,
                       uint64_t value, int is_copy) {
    struct whence_origin_site *site = is_copy ? printing_copy(call) : printing_made(call);
    put(site, origins_passed(index, value), to, size);
}

uint32_t printing_byte(struct whence_origin_site *call, uintptr_t from, uint8_t byte) {
    struct whence_origin_site *site = printing_copy(call);
    uint32_t node = *(const uint8_t *)from == byte ? cells_now(from, 1) : 0;
    node = node ? cells_own(site, node, from, 1) : 0;
    return node ? node_step(site, node) : 0;
}
