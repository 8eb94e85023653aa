/* Models of functions that are given the name of a file: whether it is that of a symbolic file is
 * decided as a comparison of texts would. Any other name is bound. */
#include "bytes.h"
#include "inputs.h"
#include "memory.h"
#include "passing.h"
#include "../os/mem.h"

static int is_name(const char *path, const char *name, uint64_t pc) {
    size_t at = 0;
    while (byte_is(byte_at(path + at), (uint8_t)name[at], pc))
        if (!name[at++]) return 1;
    return 0;
}

/* Without a symbolic byte nothing is decided. */
static void named(const char *path, uint64_t pc) {
    const char *name;
    if (!path || !bytes_readable(path)) return;
    for (uint32_t i = 0; (name = inputs_file(i)); i++)
        if (is_name(path, name, pc)) return;
    memory_bind((uintptr_t)path, wh_length(path) + 1, WH_REASON_UNSEEN, pc);
}

BEFORE(open, (const char *path)) { named(path, HERE); }
BEFORE(openat, (int folder, const char *path)) {
    (void)folder;
    named(path, HERE);
}
