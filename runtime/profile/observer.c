#include "observer.h"
#include "profile.h"
#include "../blocks/block.h"
#include "../process/thread.h"

static struct table_block counted(struct block block) {
    return (struct table_block){block_size(block), 0, profile_row(block_alloc_stack(block))};
}

static int left_out; /* `inherit` has met the block that it is to leave out */

/* The live blocks of a process, which the child of a fork has, too. */
static void inherit(const struct table *table, uintptr_t except) {
    uint64_t cursor = 0;
    struct block block;
    left_out = 0;
    while (block_exists(block = block_next(&cursor, WH_BLOCK_LIVE))) {
        if (block_kind(block) != WH_KIND_HEAP) continue;
        if (block_begin(block) == except)
            left_out = 1;
        else
            table_inherit(table, counted(block));
    }
}

static void made(const struct made_block *made) {
    struct thread *thread = thread_here();
    struct block block = heap_block(made->begin);
    struct block old = made->replaces ? heap_block(made->replaces) : block_none();
    thread->replaced = block_exists(old) ? made->replaces : 0;
    if (!block_exists(block)) { /* the C library's */
        profile_miss();
        thread->replaced = 0;
        return;
    }
    thread->last_made = made->begin;
    const struct table *table = profile_enter(thread, inherit, made->begin);
    if (!table) return;
    if (block_exists(old))
        table_resized(table, counted(old), counted(block));
    else
        table_made(table, counted(block));
    profile_leave(thread);
}

static void freed(uintptr_t begin) {
    struct thread *thread = thread_here();
    int is_temporary = thread->last_made == begin;
    if (is_temporary) thread->last_made = 0;
    if (thread->replaced == begin) {
        thread->replaced = 0;
        return;
    }
    const struct table *table = profile_enter(thread, inherit, 0);
    if (!table) return;
    table_freed(table, counted(heap_block(begin)), is_temporary);
    profile_leave(thread);
}

/* The block has its new size already. */
static void resized(uintptr_t begin, uint64_t old, uint64_t size) {
    struct thread *thread = thread_here();
    thread->last_made = begin;
    const struct table *table = profile_enter(thread, inherit, begin);
    if (!table) return;
    struct table_block block = counted(heap_block(begin)), before = {old, 0, block.row};
    block.size = size;
    if (left_out) table_inherit(table, before);
    left_out = 0;
    table_resized(table, before, block);
    profile_leave(thread);
}

const struct observer profile_observer = {
    .made = made, .freed = freed, .resized = resized, .forked = profile_forked};
