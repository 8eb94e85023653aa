/* Calls that fail (whence explore --max-fail): each is an object of one byte in the input, which
 * says how. */
#include "bytes.h"
#include "failing.h"
#include "inputs.h"
#include "symbolic.h"
#include "trace.h"
#include "../settings/options.h"

/* On this path; memory goes back at its end. */
static unsigned failed;

static unsigned choose(const char *name, unsigned count, uint64_t pc) {
    char choice = 0;
    unsigned way = 0;
    if (!trace_is_open() || failed >= options.max_fail) return 0;
    inputs_memory(&choice, sizeof choice, name);
    struct byte byte = byte_at(&choice);
    for (unsigned i = 1; i <= count && !way; i++)
        if (byte_is(byte, (uint8_t)i, pc)) way = i;
    memory_clear((uintptr_t)&choice, sizeof choice);
    failed += way != 0;
    return way;
}

void symbolic_failing(void) {
    if (options.max_fail) failing_chosen = choose;
}
