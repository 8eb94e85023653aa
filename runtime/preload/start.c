#include "start.h"
#include "../guard/guard.h"
#include "../guard/lend.h"
#include "../rt/event.h"
#include "../rt/options.h"
#include "rules.h"

static int chosen_at_random;

void preload_configure(const char *environment, size_t size) {
    size_t length = 0;
    const char *value = options_variable(environment, size, WH_ALLOC_VARIABLE, &length);
    struct guard_config config;
    TEXT(error, 512);
    if (!guard_parse(value ? value : "", value ? length : 0, &config, &chosen_at_random, &error))
        text_give_up(&error);
    if (options.heap_start_kib)
        config.reserved = wh_round_up(options.heap_start_kib << 10, OS_PAGE);
    guard_init(&config);
}

void preload_begin(void) {
    if (lend_everything) {
        lend_note(LEND_NO_RANGE);
        return;
    }
    lend_prepare();
    event_assume_rules(&whence_rule_set);
    if (!chosen_at_random) return;
    TEXT(message, 100);
    text_put(&message, guard.type == GUARD_TOP ? "guarding the end of each block"
                                               : "guarding the begin of each block");
    text_put(&message, " (chosen at random)");
    text_complain(&message);
}

void preload_give_way(void) { lend_everything = 1; }
