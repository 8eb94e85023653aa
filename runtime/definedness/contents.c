#include "contents.h"
#include "../os/os.h"
#include "../process/images.h"
#include "../process/thread.h"
#include "origin.h"

void contents_limited(uint64_t size) {
    static int noted;
    if (size > CONTENTS_MOST)
        rt_note(&noted,
                "beyond the first MiB of a block, undefined values are followed in samples alone");
}

/* Behind what is filled, pages that lie at equal distances are: code that reads all of a large
 * block meets one, and the memory that they take has a bound. */
#define SAMPLES_MOST 256u
#define SAMPLES_APART (64ull << 10)

static void undefine_samples(uintptr_t begin, uintptr_t end, uint64_t origin) {
    uint64_t apart = wh_round_up((end - begin) / SAMPLES_MOST + 1, OS_PAGE);
    if (apart < SAMPLES_APART) apart = SAMPLES_APART;
    uintptr_t page = wh_round_down(begin, OS_PAGE) + apart;
    for (; page < end && end - page >= OS_PAGE; page += apart)
        __whence_value_undefine(page, OS_PAGE, origin);
}

/* The red zone's first bytes are filled, too, where they share a granule with the block's last. */
static void undefine(uintptr_t begin, uintptr_t end, uint32_t stack) {
    uint64_t size = wh_round_up(end, WH_GRANULE) - begin;
    contents_limited(size);
    uint64_t filled = size < CONTENTS_MOST ? size : CONTENTS_MOST, origin = origin_of_stack(stack);
    __whence_value_undefine(begin, filled, origin);
    granule_filled(begin, filled, origin);
    __whence_value_define(begin + filled, size - filled);
    undefine_samples(begin + filled, begin + size, origin);
}

/* Only code that is checked is seen to write a block: those of other code are defined. */
static void made(const struct made_block *block) {
    const struct heap_request *request = block->request;
    uint64_t size = wh_round_up(request->size, WH_GRANULE);
    if (!request->zeroed && images_has_checks(block->frame->return_address))
        undefine(block->begin, block->begin + size, request->stack);
    else
        __whence_value_define(block->begin, size);
}

static void extended(struct block block, uint64_t from, const struct frame *frame) {
    uintptr_t begin = block_begin(block);
    if (images_has_checks(frame->return_address))
        undefine(begin + from, begin + block_size(block), block_alloc_stack(block));
    else
        __whence_value_define(begin + from, block_size(block) - from);
}

static void moves(const struct block_move *move) {
    __whence_value_copy(move->target, move->begin, move->size);
}

static void creates(struct new_thread *thread) {
    (void)thread;
    granules_settle();
}

static void mapped(uintptr_t begin, uint64_t size) { __whence_value_define(begin, size); }

const struct observer values_observer = {
    .made = made,
    .moves = moves,
    .extended = extended,
    .mapped = mapped,
    .creates = creates,
};
