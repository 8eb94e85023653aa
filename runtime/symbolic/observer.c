#include "observer.h"
#include "memory.h"

static void made(const struct made_block *block) {
    memory_clear(block->begin, block->request->size);
}

static void extended(struct block block, uint64_t from, const struct frame *frame) {
    (void)frame;
    memory_clear(block_begin(block) + from, block_size(block) - from);
}

static void moves(const struct block_move *move) {
    memory_copy(move->target, move->begin, move->size);
}

const struct observer symbolic_observer = {.made = made, .moves = moves, .extended = extended};
