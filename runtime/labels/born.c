#include "born.h"
#include "../port/port.h"
#include "../process/thread.h"

#define MOST UINT16_MAX
#define LABELS 8u

static uint32_t stacks[MOST + 1u];
static uint32_t count;

/* The same stack mostly comes again at once: a loop that reads. */
uint16_t birth_here(const struct frame *frame) {
    uint32_t stack = port_stack(thread_here(), frame);
    uint32_t last = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    for (uint32_t at = last, looked = 0; at && looked < 16; at--, looked++)
        if (at <= MOST && __atomic_load_n(&stacks[at], __ATOMIC_RELAXED) == stack)
            return (uint16_t)at;
    if (last >= MOST) return 0;
    uint32_t number = __atomic_add_fetch(&count, 1, __ATOMIC_ACQ_REL);
    if (number > MOST) return 0;
    __atomic_store_n(&stacks[number], stack, __ATOMIC_RELAXED);
    return (uint16_t)number;
}

uint32_t birth_stack(uint16_t birth) {
    return birth ? __atomic_load_n(&stacks[birth], __ATOMIC_RELAXED) : 0;
}

static __thread uint16_t seen[LABELS] __attribute__((tls_model("initial-exec")));

void birth_seen(uint8_t labels, uint16_t birth) {
    for (unsigned left = labels; left; left &= left - 1) seen[__builtin_ctz(left)] = birth;
}

uint16_t birth_last(uint8_t labels) { return labels ? seen[__builtin_ctz(labels)] : 0; }

static __thread uint32_t answered __attribute__((tls_model("initial-exec")));

void birth_forget(void) { answered = 0; }

void birth_asked(uint8_t labels) {
    if (labels) answered = birth_stack(birth_last(labels));
}

uint32_t birth_answered(void) { return answered; }
