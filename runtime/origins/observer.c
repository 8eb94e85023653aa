#include "observer.h"
#include "cells.h"
#include "deaths.h"
#include "joined.h"
#include "mapped.h"
#include "passing.h"
#include "transfers.h"

#include <pthread.h>

/* ---- memory ---- */

static void made(const struct made_block *block) {
    cells_forget(block->begin, block->request->size);
}

static void extended(struct block block, uint64_t from, const struct frame *frame) {
    (void)frame;
    cells_forget(block_begin(block) + from, block_size(block) - from);
}

static void mapped(uintptr_t begin, uint64_t size) {
    cells_forget(begin, size);
    mapped_cut(begin, size);
}

/* ---- threads ---- */

/* The argument of a thread is the fourth of the call that creates it. */
#define THREAD_ARGUMENT 3u

static void creates(struct new_thread *thread) {
    thread->node = origins_passed(THREAD_ARGUMENT, (uintptr_t)thread->argument);
    deaths_settle();
}

static void begins(const struct new_thread *thread) {
    node_begin_thread(thread->number);
    uint32_t node = thread->node ? node_cross(NULL, thread->node) : 0;
    origins_pass((uintptr_t)thread->function, node, (uintptr_t)thread->argument);
}

static void returns(const struct new_thread *thread, void *result) {
    joined_returned((uint64_t)pthread_self(), (uintptr_t)thread->function, (uintptr_t)result);
}

static void exits(void *result) { joined_left((uint64_t)pthread_self(), (uintptr_t)result); }

static void joined(const char *function, uint64_t thread, void **to) {
    joined_received(function, thread, (uintptr_t)to);
}

const struct observer origins_observer = {
    .made = made,
    .extended = extended,
    .mapped = mapped,
    .unmapped = mapped_cut,
    .creates = creates,
    .begins = begins,
    .returns = returns,
    .exits = exits,
    .joined = joined,
    .arrived = transfer_arrived,
    .shown = transfer_shown,
    .lent = transfer_lent,
    .takes = transfer_takes,
    .taken = transfer_taken,
    .stored = transfer_stored,
    .returned = transfer_returned,
    .undone = transfer_undone,
    .left = transfer_left,
    .parsed = transfer_parsed,
};
