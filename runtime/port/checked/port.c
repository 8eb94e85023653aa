/* The functions of port/port.h for the runtime of checked programs. */
#include "../port.h"
#include "faults.h"
#include "../../blocks/block.h"
#include "../../findings/refusal.h"
#include "../../os/mem.h"
#include "../../os/os.h"
#include "../../os/text.h"
#include "../../process/closed.h"
#include "../../process/images.h"
#include "../../process/turns.h"
#include "../../interface/chunks.h"
#include "../../rt/histories.h"
#include "../../rt/ignored.h"
#include "../../rt/later.h"
#include "../../rt/loading.h"
#include "../../rt/locals.h"
#include "../../rt/order.h"
#include "../../rt/thread_variables.h"
#include "../../replace/hooks.h"

/* ---- start ---- */

void port_configure(const char *environment, size_t size) { (void)environment, (void)size; }

void port_no_range(const char *what, long result, uintptr_t begin, size_t size) {
    TEXT(message, 512);
    text_no_range(&message, what, result, begin, size);
    refusal_end(&message);
}

_Noreturn void port_give_up(const struct text *why) { refusal_end(why); }

/* Renames the process, which has the name of the instrumented copy, to the name that the user gave.
 */
static void take_name(const char *word) {
    const char *name = word;
    for (; *word; word++)
        if (*word == '/' && word[1]) name = word + 1;
    if (*name) os_rename(name);
}

void port_begin(int count, char **arguments) {
    if (images_main_instrumented() && count > 0) take_name(arguments[0]);
    thread_variables_init();
    hooks_init();
    faults_begin();
}

/* ---- signals and threads ---- */

int port_is_checked(void) { return images_any_instrumented() || loading_any(); }

void port_signals_ready(void) {}

void port_before_share(void) { turns_begin_heap(); }

void port_after_share(void) { turns_end_heap(); }

void port_lock(void) {
    chunks_lock();
    later_lock();
    loading_lock();
    closed_lock();
    histories_lock();
    turns_lock();
}

void port_unlock(void) {
    turns_unlock();
    histories_unlock();
    closed_unlock();
    loading_unlock();
    later_unlock();
    chunks_unlock();
}

void port_lock_last(void) {
    ignored_lock();
    order_lock();
    hooks_lock();
}

void port_unlock_first(void) {
    hooks_unlock();
    order_unlock();
    ignored_unlock();
}

/* ---- leak searches ---- */

void port_search_begins(void) {}

void port_search_stands(int all_stand) { (void)all_stand; }

void port_search_ends(void) {}

uintptr_t port_bytes(struct block place, uintptr_t begin) {
    (void)place;
    return begin;
}

/* ---- findings ---- */

void port_describe_block(struct block place, struct wh_finding *head) {
    if (block_kind(place) != WH_KIND_STACK || !plane_covers(head->block_begin)) return;
    if (*plane_state(head->block_begin) == WH_STATE_STACK_RETURNED)
        head->flags |= WH_FLAG_RETURNED;
    else if (locals_in_frame(head->block_begin))
        head->flags |= WH_FLAG_IN_FRAME;
}

void port_before_debugger(void) {}

void port_before_leaving(void) { later_fetch_all(); }

static void put_block(struct text *line, const struct wh_finding *head) {
    if (!head->block_id) return;
    text_put(line, head->block_state == WH_BLOCK_LIVE ? "; live" : "; freed");
    text_put(line, " block of ");
    text_decimal(line, head->block_size);
    text_put(line, " bytes at ");
    text_hex(line, head->block_begin);
}

void port_say(const struct wh_finding *head, const struct port_words *words,
              struct port_stacks stacks) {
    TEXT(line, 512);
    text_put(&line, "finding: ");
    text_put(&line, words->rule);
    text_put(&line, ": ");
    text_put(&line, words->step);
    if (head->size) {
        text_put(&line, " of ");
        text_decimal(&line, head->size);
        text_put(&line, " bytes");
    }
    text_put(&line, " at ");
    text_hex(&line, head->address);
    if (words->function) {
        text_put(&line, " by ");
        text_put_n(&line, words->function, head->n_name);
    }
    put_block(&line, head);
    if (head->n_stack) {
        text_put(&line, "; pc ");
        text_hex(&line, stacks.stack[0]);
    }
    text_complain(&line);
}
