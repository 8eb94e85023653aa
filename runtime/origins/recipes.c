#include "recipes.h"
#include "cells.h"
#include "nodes.h"
#include "passing.h"
#include "../os/mem.h"
#include "../process/closed.h"

/* What is left of a recipe, and of the words beside it. */
struct reader {
    struct whence_origin_site *sites;
    const int32_t *steps;
    const uint64_t *words;
};

static uint32_t read_argument(struct reader *from, struct whence_origin_site *site) {
    unsigned index = (unsigned)*from->steps++;
    uint64_t function = *from->words++, value = *from->words++;
    uint32_t node = __whence_origins.passed.callee == function ? origins_passed(index, value) : 0;
    return node ? node : node_step(site, node_own());
}

static uint32_t read_loaded(struct reader *from, struct whence_origin_site *site, uint64_t size) {
    uint64_t address = *from->words++, value = *from->words++;
    return __whence_origin_lost(site, address, size, value);
}

/* The node of the next step, without the hops behind it. */
static uint32_t read_leaf(struct reader *from, int32_t step) {
    struct whence_origin_site *site = from->sites + (step >> WH_RECIPE_BITS);
    switch (step & ((1 << WH_RECIPE_BITS) - 1)) {
    case WH_RECIPE_WORD: return (uint32_t)*from->words++;
    case WH_RECIPE_BORN: return node_step(site, node_own());
    case WH_RECIPE_ARGUMENT: return read_argument(from, site);
    case WH_RECIPE_LOAD_1: return read_loaded(from, site, 1);
    case WH_RECIPE_LOAD_2: return read_loaded(from, site, 2);
    case WH_RECIPE_LOAD_4: return read_loaded(from, site, 4);
    case WH_RECIPE_LOAD_8: return read_loaded(from, site, 8);
    default: return 0;
    }
}

static int is_kind(int32_t step, int kind) { return (step & ((1 << WH_RECIPE_BITS) - 1)) == kind; }

static int is_step(int32_t step) { return is_kind(step, WH_RECIPE_STEP); }

/* A recipe has the newest hop first, and a node begins with the oldest. */
static uint32_t read_node(struct reader *from) {
    const int32_t *newest = from->steps;
    while (is_step(*from->steps)) from->steps++;
    const int32_t *oldest = from->steps;
    uint32_t node = read_leaf(from, *from->steps++);
    while (oldest-- > newest)
        node = node_step(from->sites + (*oldest >> WH_RECIPE_BITS), node ? node : node_own());
    return node;
}

/* The index with what it was computed from, or the distance from the pointer, or that it is called.
 */
static void read_values(struct reader *from, struct use_nodes *nodes) {
    if (is_kind(*from->steps, WH_RECIPE_TARGET)) {
        nodes->is_call = 1;
        return;
    }
    if (!is_kind(*from->steps, WH_RECIPE_VALUES)) {
        nodes->distance = *from->steps >> WH_RECIPE_BITS;
        return;
    }
    uint32_t said = (uint32_t)(*from->steps++ >> WH_RECIPE_BITS);
    struct use_values *values = &nodes->values;
    nodes->has_values = 1;
    values->index.node = read_node(from);
    values->index.word = *from->words++;
    values->index.has_sign = 1;
    values->operand_count = said_operands(said);
    for (unsigned i = 0; i < values->operand_count; i++) {
        struct use_value *operand = &values->operands[i];
        operand->node = read_node(from);
        operand->word = *from->words++;
        operand->has_sign = said_sign(said, i);
    }
}

struct use_nodes use_nodes(void) {
    const struct whence_origin_passed *own = &__whence_origins.passed;
    if (!own->use_recipe) return (struct use_nodes){.pointer = (uint32_t)own->use_words};
    const int32_t *recipe = (const int32_t *)(uintptr_t)own->use_recipe;
    if (closed_kept(recipe) != recipe) return (struct use_nodes){0};
    struct reader from = {.sites = *(struct whence_origin_site *const *)(recipe - *recipe),
                          .steps = recipe + 1,
                          .words = &own->use_words};
    struct use_nodes nodes = {.pointer = read_node(&from)};
    read_values(&from, &nodes);
    return nodes;
}

void use_settle(void) {
    struct whence_origin_passed *own = &__whence_origins.passed;
    struct use_nodes nodes = use_nodes();
    wh_fill(&own->use_words, 0, (uintptr_t)&own->use_address - (uintptr_t)&own->use_words);
    own->use_words = nodes.is_call ? 0 : nodes.pointer;
    own->use_recipe = 0;
}
