#include "decisions.h"
#include "trace.h"
#include "../blocks/block.h"

/* What expressions are bound or decided already needs no second record. */
enum { DECIDED = 1 };

static void put_of(unsigned kind, unsigned op, unsigned width, uint64_t pc, unsigned count,
                   const uint64_t *operands) {
    if (!trace_lock()) return;
    trace_put(kind, op, width, trace_site(pc), count, operands);
    trace_unlock();
}

static void put(unsigned kind, unsigned op, uint64_t pc, unsigned count, const uint64_t *operands) {
    put_of(kind, op, 0, pc, count, operands);
}

static int decide(uint32_t number) {
    struct expression *of = expression_at(number);
    if (of->op == EXPRESSION_CONSTANT || of->decided) return 0;
    of->decided = DECIDED;
    return 1;
}

/* Our own defect, which must not look like a fact about the program. */
static int is_consistent(uint32_t number, uint64_t value, uint64_t pc) {
    if (expression_at(number)->value == value) return 1;
    put(WH_TRACE_CONCRETE, WH_REASON_INCONSISTENT, pc, 2, (uint64_t[]){number, value});
    return 0;
}

void decision_branch(uint32_t condition, int taken, uint64_t pc) {
    decision_branch_of(condition, taken, 0, pc);
}

void decision_branch_of(uint32_t condition, int taken, uint64_t line, uint64_t pc) {
    if (!condition || !is_consistent(condition, (uint64_t)taken, pc)) return;
    unsigned negated = 0;
    for (; expression_at(condition)->op == WH_OP_NOT; negated = !negated)
        condition = expression_at(condition)->a;
    if (!decide(condition) || !trace_lock()) return;
    int is_new;
    uint32_t site = trace_new_site(pc, line, &is_new);
    trace_put(WH_TRACE_BRANCH, negated, 0, site, 1,
              (uint64_t[]){(uint64_t)taken << 32 | condition});
    trace_unlock();
}

/* A way has many values, so the scrutinee is not decided by it. */
void decision_switch(uint32_t scrutinee, uint64_t value, const uint64_t *cases, uint64_t line,
                     uint64_t pc) {
    if (!scrutinee || !is_consistent(scrutinee, value, pc)) return;
    struct expression *of = expression_at(scrutinee);
    if (of->op == EXPRESSION_CONSTANT || of->decided || !trace_lock()) return;
    int is_new;
    uint32_t site = trace_new_site(pc, line, &is_new);
    for (uint64_t i = 0; is_new && i < *cases; i++)
        trace_put(WH_TRACE_CASE, 0, 0, site, 2, cases + 1 + 2 * i);
    trace_put(WH_TRACE_SWITCH, 0, 0, site, 2, (uint64_t[]){scrutinee, value});
    trace_unlock();
}

void decision_bind(uint32_t number, unsigned reason, uint64_t pc) {
    if (!number || !decide(number)) return;
    uint64_t operands[] = {number, expression_at(number)->value};
    put(WH_TRACE_CONCRETE, reason, pc, 2, operands);
}

void decision_check(uint32_t condition, unsigned kind, uint64_t pc) {
    if (expression_varies(condition)) put(WH_TRACE_CHECK, kind, pc, 1, (uint64_t[]){condition});
}

void decision_step(uint32_t condition, unsigned point, const uint32_t *slots, uint64_t pc) {
    if (!expression_varies(condition)) return;
    uint64_t operands[1 + WHENCE_SYMBOLIC_MOST_SLOTS / 2] = {(uint64_t)point << 32 | condition};
    for (unsigned i = 0; i < WHENCE_SYMBOLIC_MOST_SLOTS; i++)
        operands[1 + i / 2] |= (uint64_t)slots[i] << (i % 2 ? 32 : 0);
    put(WH_TRACE_STEP, 0, pc, sizeof operands / sizeof *operands, operands);
}

void decision_assume(uint32_t condition, int holds, uint64_t pc) {
    if (expression_varies(condition) && is_consistent(condition, (uint64_t)holds, pc))
        put(WH_TRACE_ASSUME, 0, pc, 1, (uint64_t[]){(uint64_t)holds << 32 | condition});
}

void decision_prefer(uint32_t condition) {
    if (!expression_varies(condition) || !trace_lock()) return;
    trace_put(WH_TRACE_PREFER, 0, 0, 0, 1, (uint64_t[]){condition});
    trace_unlock();
}

void decision_access(uint32_t address, uint64_t at, uint64_t size, unsigned how,
                     struct whence_bounds object, unsigned parts, uint64_t pc) {
    if (!expression_varies(address) || !is_consistent(address, at, pc)) return;
    uint64_t operands[] = {address, at, size, object.begin, object.size};
    struct block block = block_at(at);
    unsigned kind = block_exists(block) ? block_kind(block) : WH_KIND_ELSEWHERE;
    put_of(WH_TRACE_ACCESS, how, parts << WH_TRACE_PARTS_SHIFT | kind, pc, 5, operands);
}
