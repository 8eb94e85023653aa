/* Calls that fail (whence explore --max-fail, --max-fail-memory): each is an object of one byte in
 * the input, which says how. */
#include "bytes.h"
#include "failing.h"
#include "inputs.h"
#include "symbolic.h"
#include "trace.h"
#include "../settings/options.h"

/* On this path; memory goes back at its end. */
static unsigned failed, failed_requests;

static unsigned chosen(const char *name, unsigned count, uint64_t pc, unsigned *done,
                       uint64_t most) {
    char choice = 0;
    unsigned way = 0;
    if (!trace_is_open() || *done >= most) return 0;
    inputs_memory(&choice, sizeof choice, name);
    struct byte byte = byte_at(&choice);
    for (unsigned i = 1; i <= count && !way; i++)
        if (byte_is(byte, (uint8_t)i, pc)) way = i;
    memory_clear((uintptr_t)&choice, sizeof choice);
    *done += way != 0;
    return way;
}

static unsigned choose(const char *name, unsigned count, uint64_t pc) {
    return chosen(name, count, pc, &failed, options.max_fail);
}

static unsigned choose_memory(const char *name, uint64_t pc) {
    return chosen(name, 1, pc, &failed_requests, options.max_fail_memory);
}

void symbolic_failing(void) {
    if (options.max_fail) failing_chosen = choose;
    if (options.max_fail_memory) failing_memory_chosen = choose_memory;
    failing_memory_on = options.max_fail_memory != 0;
}
