/* Structs that are passed by value: what the function finds has no cells, so its caller says where
 * the original is. */
#include "../include/whence/origins.h"
#include "cells.h"
#include "nodes.h"

#define MOST 16u

struct original {
    uint64_t function; /* that it is for; 0: none */
    uint64_t from;
    struct whence_origin_site *site;
};

static _Thread_local struct original originals[MOST];

WH_EXPORT void __whence_origin_by_value(struct whence_origin_site *site, uint64_t function,
                                        uint64_t index, uint64_t from) {
    if (index < MOST) originals[index] = (struct original){function, from, site};
}

/* Nothing can have changed the original since the call. */
WH_EXPORT void __whence_origin_received(struct whence_origin_site *site, uint64_t function,
                                        uint64_t index, uint64_t to, uint64_t from, uint64_t size) {
    if (index < MOST) {
        struct original original = originals[index];
        originals[index].function = 0;
        if (original.function == function && __whence_origins.passed.callee == function)
            site = original.site, from = original.from;
    }
    __whence_origin_copy(site, to, from, size);
}
