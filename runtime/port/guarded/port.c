/* The functions of port/port.h for the preloaded allocator. */
#include "../port.h"
#include "../../findings/refusal.h"
#include "../../guard/guard.h"
#include "../../guard/lend.h"
#include "../../guard/options.h"
#include "../../guard/pager.h"
#include "../../guard/trap.h"
#include "../../rt/event.h"
#include "../../settings/options.h"
#include "next.h"
#include "rules.h"

static int chosen_at_random;

void port_configure(const char *environment, size_t size) {
    size_t length = 0;
    const char *value = options_variable(environment, size, WH_ALLOC_VARIABLE, &length);
    struct guard_config config;
    TEXT(error, 512);
    if (!guard_parse(value ? value : "", value ? length : 0, &config, &chosen_at_random, &error))
        refusal_end(&error);
    if (options.heap_start_kib)
        config.reserved = wh_round_up(options.heap_start_kib << 10, OS_PAGE);
    guard_init(&config);
}

_Noreturn void port_give_up(const struct text *why) { refusal_end(why); }

void port_begin(int count, char **arguments) {
    (void)count, (void)arguments;
    next_find_all();
    if (lend_everything) {
        lend_all();
        return;
    }
    lend_prepare();
    rules_assume(&whence_rule_set);
    if (!chosen_at_random) return;
    TEXT(message, 100);
    text_put(&message, guard.type == GUARD_TOP ? "guarding the end of each block"
                                               : "guarding the begin of each block");
    text_put(&message, " (chosen at random)");
    text_complain(&message);
}

/* The program must run even without a guarded heap. */
void port_no_range(const char *what, long result, uintptr_t begin, size_t size) {
    (void)what, (void)result, (void)begin, (void)size;
    options.regions = 0; /* there are no regions to report */
    lend_everything = 1;
}

/* ---- signals and threads ---- */

int port_is_checked(void) { return 1; }

int port_takes_fault(int number, const siginfo_t *info, void *machine) {
    return number == SIGSEGV && trap_fault(info, machine);
}

uint64_t port_signals(void) { return trap_signals(); }

void port_install(int number, void (*handler)(int, siginfo_t *, void *)) {
    trap_install(number, handler);
}

void port_signals_ready(void) { trap_init(); }

void port_before_share(void) {}

void port_after_share(void) {}

void port_lock(void) {}

void port_unlock(void) {}

void port_lock_last(void) {}

void port_unlock_first(void) {}

/* ---- leak searches ---- */

void port_search_begins(void) { options_await_search(); }

void port_search_stands(int all_stand) { options_open_for_search(all_stand); }

void port_search_ends(void) { options_close_after_search(); }

uintptr_t port_bytes(struct block place, uintptr_t begin) { return pager_bytes(place, begin); }

/* ---- findings ---- */

void port_describe_block(struct block place, struct wh_finding *head) {
    if (!guard_is_paged(place)) return;
    const struct guard_extra *extra = guard_extra(place);
    if (extra->flags & GUARD_MOVED) head->flags |= WH_FLAG_MOVED;
    head->use_time = extra->use_time;
    head->use_address = extra->use_address;
    head->use_pc = extra->use_pc;
}

/* The program cannot close single bytes in this product. */
WH_EXPORT uint64_t __whence_closed(uint64_t address, uint64_t width) {
    (void)address, (void)width;
    return 0;
}

void port_before_leaving(void) {}

/* Calls at which threads meet are not seen. */
uint32_t port_known_locks(void) { return 0; }
