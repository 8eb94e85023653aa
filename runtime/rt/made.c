#include "made.h"
#include "event.h"

static void made(const struct made_block *block) {
    struct context context = context_about(WH_POINT_MALLOC, block->begin, block->request->size,
                                           block_around(block->begin), block->frame);
    event_evaluate(&context);
}

const struct observer rules_observer = {.points = 1ull << WH_POINT_MALLOC, .made = made};
