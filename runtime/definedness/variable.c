/* The undefined bits of variable arguments: where va_start finds them (System V ABI for x86-64,
 * 3.5.7). A caller that is not checked passes none, and then all are defined. */
#include "ranges.h"

#define REGISTERS_SIZE (WHENCE_VARIABLE_REGISTERS * sizeof(uint64_t))

/* What va_start fills. */
struct list {
    uint32_t general, vector; /* offsets of the next registers */
    uint64_t stack, registers;
};

WH_EXPORT void __whence_value_keep(struct whence_variadic *variable, uint64_t function) {
    struct whence_values *passed = &__whence_values;
    variable->kept = (struct whence_kept){0};
    if (passed->memory.callee != function) return;
    passed->memory.callee = 0;
    variable->kept.meant = 1;
    variable->kept.stacked = passed->memory.stacked;
    for (unsigned i = 0; i < 2 * WHENCE_MOST_VARIABLE; i++)
        variable->pairs[i] = passed->variable[i];
}

static void mark(const uint64_t *pairs, uint64_t address, uint64_t words) {
    for (uint64_t i = 0; i < words; i++)
        __whence_value_store(address + i * sizeof(uint64_t), sizeof(uint64_t), pairs[2 * i],
                             pairs[2 * i + 1]);
}

WH_EXPORT void __whence_value_started(struct whence_variadic *variable, uint64_t address) {
    const struct list *list = (const struct list *)address;
    struct whence_kept *kept = &variable->kept;
    __whence_value_define(address, sizeof *list);
    kept->registers = list->registers;
    kept->stack = list->stack;
    if (!kept->meant) {
        __whence_value_define(kept->registers, REGISTERS_SIZE);
        return;
    }
    mark(variable->pairs, kept->registers, WHENCE_VARIABLE_REGISTERS);
    mark(variable->pairs + 2 * WHENCE_VARIABLE_REGISTERS, kept->stack, kept->stacked);
}

WH_EXPORT void __whence_value_ended(const struct whence_variadic *variable) {
    const struct whence_kept *kept = &variable->kept;
    if (!kept->registers || !kept->meant) return;
    __whence_value_define(kept->registers, REGISTERS_SIZE);
    __whence_value_define(kept->stack, kept->stacked * sizeof(uint64_t));
}

WH_EXPORT void __whence_value_pass(uint64_t from, uint64_t size, uint64_t at) {
    uint64_t *pair = &__whence_values.variable[2 * at];
    for (uint64_t done = 0; done < size && at < WHENCE_MOST_VARIABLE; at++, pair += 2) {
        uint64_t rest = size - done, most = rest < WH_GRANULE ? rest : WH_GRANULE;
        struct whence_bits found = __whence_value_load(from + done, most);
        pair[0] = found.bits;
        pair[1] = found.origin;
        done += most;
    }
}
