#include "filters.h"
#include "../os/mem.h"
#include "../os/os.h"

#include <linux/audit.h>

/* ---- one filter ---- */

struct state {
    uint32_t a, x, memory[BPF_MEMWORDS];
    size_t at;                       /* the next instruction */
    const struct seccomp_data *data; /* what is loaded from */
};

static uint32_t operand(const struct state *state, const struct sock_filter *step) {
    return BPF_SRC(step->code) == BPF_X ? state->x : step->k;
}

/* 0: the filter ends here, and kills. */
static int calculate(struct state *state, const struct sock_filter *step) {
    uint32_t value = operand(state, step);
    switch (BPF_OP(step->code)) {
    case BPF_ADD: state->a += value; return 1;
    case BPF_SUB: state->a -= value; return 1;
    case BPF_MUL: state->a *= value; return 1;
    case BPF_DIV:
        if (value) state->a /= value;
        return value != 0;
    case BPF_AND: state->a &= value; return 1;
    case BPF_OR: state->a |= value; return 1;
    case BPF_XOR: state->a ^= value; return 1;
    case BPF_LSH: state->a <<= value & 31; return 1;
    case BPF_RSH: state->a >>= value & 31; return 1;
    case BPF_NEG: state->a = 0u - state->a; return 1;
    default: return 0;
    }
}

static int jump(struct state *state, const struct sock_filter *step) {
    uint32_t value = operand(state, step);
    int holds;
    switch (BPF_OP(step->code)) {
    case BPF_JA: state->at += step->k; return 1;
    case BPF_JEQ: holds = state->a == value; break;
    case BPF_JGT: holds = state->a > value; break;
    case BPF_JGE: holds = state->a >= value; break;
    case BPF_JSET: holds = (state->a & value) != 0; break;
    default: return 0;
    }
    state->at += holds ? step->jt : step->jf;
    return 1;
}

static int load_word(struct state *state, uint32_t offset) {
    if (offset % sizeof state->a || offset >= sizeof *state->data) return 0;
    wh_copy(&state->a, (const char *)state->data + offset, sizeof state->a);
    return 1;
}

static int load(struct state *state, const struct sock_filter *step, uint32_t *into) {
    switch (BPF_MODE(step->code)) {
    case BPF_IMM: *into = step->k; return 1;
    case BPF_LEN: *into = sizeof *state->data; return 1;
    case BPF_MEM:
        if (step->k >= BPF_MEMWORDS) return 0;
        *into = state->memory[step->k];
        return 1;
    case BPF_ABS: return into == &state->a && load_word(state, step->k);
    default: return 0;
    }
}

static int store(struct state *state, const struct sock_filter *step, uint32_t value) {
    if (step->k >= BPF_MEMWORDS) return 0;
    state->memory[step->k] = value;
    return 1;
}

static int transfer(struct state *state, const struct sock_filter *step) {
    if (BPF_MISCOP(step->code) == BPF_TAX)
        state->x = state->a;
    else
        state->a = state->x;
    return 1;
}

/* All but the end. */
static int take(struct state *state, const struct sock_filter *step) {
    switch (BPF_CLASS(step->code)) {
    case BPF_LD: return load(state, step, &state->a);
    case BPF_LDX: return load(state, step, &state->x);
    case BPF_ST: return store(state, step, state->a);
    case BPF_STX: return store(state, step, state->x);
    case BPF_ALU: return calculate(state, step);
    case BPF_JMP: return jump(state, step);
    case BPF_MISC: return transfer(state, step);
    default: return 0;
    }
}

/* Jumps lead forward, so this ends. */
uint32_t filters_answer(const struct sock_filter *code, size_t count,
                        const struct seccomp_data *data) {
    struct state state = {.data = data};
    while (state.at < count) {
        const struct sock_filter *step = &code[state.at++];
        if (BPF_CLASS(step->code) == BPF_RET)
            return BPF_RVAL(step->code) == BPF_A ? state.a : step->k;
        if (!take(&state, step)) break;
    }
    return SECCOMP_RET_KILL_THREAD;
}

/* ---- those of the program ---- */

static struct sock_filter kept[FILTERS_CODE];
static struct {
    uint32_t begin, count; /* 0: dropped */
} filters[FILTERS_MOST];
static unsigned count_kept;
static uint32_t code_used;
static struct os_lock lock;

unsigned filters_keep(const struct sock_filter *code, size_t count) {
    os_lock(&lock);
    unsigned at = count_kept;
    int fits = count && at < FILTERS_MOST && count <= FILTERS_CODE - code_used;
    if (fits) {
        wh_copy(&kept[code_used], code, count * sizeof *code);
        filters[at].begin = code_used;
        filters[at].count = (uint32_t)count;
        code_used += (uint32_t)count;
        __atomic_store_n(&count_kept, at + 1, __ATOMIC_RELEASE);
    }
    os_unlock(&lock);
    return fits ? at + 1 : 0;
}

void filters_drop(unsigned number) {
    os_lock(&lock);
    __atomic_store_n(&filters[number - 1].count, 0, __ATOMIC_RELEASE);
    while (count_kept && !filters[count_kept - 1].count)
        code_used = filters[--count_kept].begin; /* a program may try often */
    os_unlock(&lock);
}

unsigned filters_count(void) { return __atomic_load_n(&count_kept, __ATOMIC_ACQUIRE); }

/* Not those that ask somebody else (user notification, tracers): they may wait for us. */
static int allows(uint32_t answer) {
    uint32_t action = answer & SECCOMP_RET_ACTION_FULL;
    return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG;
}

int filters_allow(long number, const uint64_t *words) {
    struct seccomp_data data = {(int)number, AUDIT_ARCH_X86_64, (uintptr_t)os_pass, {0}};
    for (unsigned i = 0; i < 6; i++) data.args[i] = words[i];
    unsigned count = filters_count();
    for (unsigned i = 0; i < count; i++) {
        uint32_t length = __atomic_load_n(&filters[i].count, __ATOMIC_ACQUIRE);
        if (length && !allows(filters_answer(&kept[filters[i].begin], length, &data))) return 0;
    }
    return 1;
}
