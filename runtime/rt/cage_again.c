/* What calls in the cage answer where the first run kept it: nothing is executed that others see,
 * and descriptors lead to files in memory. */
#include "cage.h"
#include "../calls/calls.h"
#include "../os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define CALL_OPENAT2 437

/* ---- descriptors ---- */

static int is_regular(int descriptor) {
    struct calls_identity identity;
    return calls_identify(descriptor, &identity) && S_ISREG(identity.mode);
}

/* Whether a descriptor leads to a file in memory, which nobody else sees. */
static int is_in_memory(int descriptor) {
    return descriptor > 2 && !os_failed(os_call(SYS_fcntl, descriptor, F_GET_SEALS, 0, 0, 0, 0));
}

static int is_same(const struct calls_identity *a, const struct calls_identity *b) {
    if (S_ISDIR(a->mode)) return a->device == b->device && a->file == b->file;
    return a->device == b->device && a->file == b->file && a->size == b->size &&
           a->changed == b->changed;
}

static uint64_t flags_of(int number, const uint64_t *words) {
    uint64_t flags = O_RDWR;
    switch (number) {
    case SYS_open: return words[1];
    case SYS_openat: return words[2];
    case CALL_OPENAT2: os_copy(&flags, words[2], sizeof flags); return flags;
    default: return flags;
    }
}

/* The same file, if it is still what it was and is only read; -1: it is not. */
static int open_same(int number, const uint64_t *words, const struct calls_identity *then) {
    uint64_t flags = flags_of(number, words);
    struct calls_identity now;
    if ((flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) ||
        !(S_ISREG(then->mode) || S_ISDIR(then->mode)))
        return -1;
    long file = os_call_words(number, words);
    if (os_failed(file)) return -1;
    if (calls_identify((int)file, &now) && is_same(then, &now)) return (int)file;
    os_close((int)file);
    return -1;
}

static int make_in_memory(uint64_t size) {
    long file = os_call(SYS_memfd_create, (long)"whence", 0, 0, 0, 0, 0);
    if (os_failed(file)) return -1;
    if (size) os_call(SYS_ftruncate, file, (long)size, 0, 0, 0, 0);
    return (int)file;
}

static void stand_in(int descriptor, int file) {
    if (file < 0 || file == descriptor) return;
    os_call(SYS_dup3, file, descriptor, 0, 0, 0, 0);
    os_close(file);
}

/* The end of a pipe: it has no place, and can be waited for. */
static int make_pipe(void) {
    int ends[2];
    if (os_call(SYS_pipe2, (long)ends, 0, 0, 0, 0, 0)) return -1;
    os_close(ends[1]);
    return ends[0];
}

void cage_stand_in(int descriptor) { stand_in(descriptor, make_pipe()); }

static void open_again(int number, const uint64_t *words, int descriptor,
                       const struct calls_identity *then) {
    int file = open_same(number, words, then);
    if (file < 0) file = S_ISREG(then->mode) ? make_in_memory(then->size) : make_pipe();
    stand_in(descriptor, file);
}

/* ---- outputs ---- */

struct kept {
    const char *at, *end;
};

/* The next output; its size. */
static size_t next(struct kept *kept, const char **bytes) {
    uint32_t size;
    if ((size_t)(kept->end - kept->at) < sizeof size) return 0;
    wh_copy(&size, kept->at, sizeof size);
    if (size > (size_t)(kept->end - kept->at) - sizeof size) return 0;
    *bytes = kept->at + sizeof size;
    kept->at += sizeof size + size;
    return size;
}

static void give(uintptr_t to, size_t size, void *argument) {
    const char *bytes;
    size_t count = next(argument, &bytes);
    if (count) wh_copy((void *)to, bytes, count < size ? count : size);
}

/* ---- calls ---- */

static int is_read(int number) {
    return number == SYS_read || number == SYS_pread64 || number == SYS_readv ||
           number == SYS_preadv;
}

/* What also happens to a file in memory, or to the place in a file that is read again. */
static void follow(int number, const uint64_t *words) {
    int descriptor = (int)words[0];
    switch (number) {
    case SYS_read:
    case SYS_pread64:
    case SYS_readv:
    case SYS_preadv:
    case SYS_lseek:
        if (is_regular(descriptor)) os_call_words(number, words);
        return;
    case SYS_write:
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_pwritev:
    case SYS_ftruncate:
    case SYS_fallocate:
        if (is_in_memory(descriptor)) os_call_words(number, words);
        return;
    case SYS_fcntl:
        if (words[1] == F_DUPFD || words[1] == F_DUPFD_CLOEXEC || words[1] == F_SETFD)
            os_call_words(number, words);
        return;
    default: return;
    }
}

int cage_again(int number, uint32_t site, const uint64_t *words, long *result) {
    if (!site || !calls_are_kept((unsigned)number)) return 0;
    const struct whence_call *call = calls_again((unsigned)number, site);
    if (!call) return 0;
    struct kept kept = {(const char *)(call + 1), (const char *)(call + 1) + call->outputs};
    *result = (long)(call->result == WH_CALLS_ALL ? words[2] : call->result);
    const char *bytes;
    struct calls_identity identity;
    if (!os_failed(*result) && calls_opens((unsigned)number) &&
        next(&kept, &bytes) == sizeof identity) {
        wh_copy(&identity, bytes, sizeof identity);
        open_again(number, words, (int)*result, &identity);
    }
    follow(number, words);
    if (!os_failed(*result) && (call->outputs || !is_read(number)))
        calls_outputs((unsigned)number, words, *result, give, &kept);
    return 1;
}
