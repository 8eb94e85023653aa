/* Optional arguments: whether a library function looks at them (whence.abi.optional). */
#include "format.h"
#include "../include/whence/values.h"
#include "../os/mem.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

static int is_one_of(uint64_t value, const unsigned *set, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (set[i] == (unsigned)value) return 1;
    return 0;
}

#define IS_ONE_OF(value, set) is_one_of(value, set, sizeof(set) / sizeof *(set))

static int opens_anew(uint64_t flags) {
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

static int fcntl_looks(uint64_t command) {
    static const unsigned without[] = {F_GETFD,    F_GETFL,      F_GETOWN,   F_GETSIG,
                                       F_GETLEASE, F_GETPIPE_SZ, F_GET_SEALS};
    return !IS_ONE_OF(command, without);
}

/* Older commands do not say by themselves whether they have an argument: those of terminals and
 * sockets have one but for a few. Of other drivers nobody knows. */
static int ioctl_looks(uint64_t command) {
    static const unsigned without[] = {TIOCNOTTY, TIOCEXCL,    TIOCNXCL, TIOCSBRK, TIOCCBRK,
                                       TIOCCONS,  TIOCVHANGUP, FIOCLEX,  FIONCLEX};
    unsigned type = _IOC_TYPE(command);
    if (_IOC_SIZE(command)) return 1;
    return (type == 'T' || type == 0x89) && !IS_ONE_OF(command, without);
}

WH_EXPORT uint64_t __whence_value_wanted(uint64_t which, uint64_t decider) {
    int number = (int)(which >> WH_DECIDER_NUMBER_SHIFT);
    switch (which & ((1u << WH_DECIDER_NUMBER_SHIFT) - 1)) {
    case WH_DECIDER_FORMAT: return (uint64_t)format_printf_names((const char *)decider, number);
    case WH_DECIDER_OPEN: return (uint64_t)opens_anew(decider);
    case WH_DECIDER_FCNTL: return (uint64_t)fcntl_looks(decider);
    case WH_DECIDER_IOCTL: return (uint64_t)ioctl_looks(decider);
    case WH_DECIDER_MAP: return !(decider & MAP_ANONYMOUS);
    default: return 0; /* handed on */
    }
}
