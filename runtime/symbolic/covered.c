#include "covered.h"
#include "../include/whence/symbolic.h"
#include "../os/mem.h"
#include "../os/os.h"

#include <sys/syscall.h>

static uintptr_t first;
static size_t size;
static int is_mapped;

WH_EXPORT void __whence_symbolic_shares(uintptr_t begin, uintptr_t end) {
    first = begin;
    size = end - begin;
}

uint32_t covered_number(uint64_t at) { return at - first < size ? (uint32_t)(at - first) + 1 : 0; }

/* What ran before `main` counts, too. */
int covered_map(int file) {
    if (!size || os_file_size(file) < (long)(WH_TRACE_SIZE + size)) return 1;
    long written = os_call(SYS_pwrite64, file, (long)first, (long)size, (long)WH_TRACE_SIZE, 0, 0);
    is_mapped = written == (long)size && os_map_shared(first, file, size, WH_TRACE_SIZE) == 0;
    return is_mapped;
}

int covered_overlaps(uintptr_t begin, uintptr_t end) {
    return is_mapped && begin < first + size && end > first;
}
