/* Functions that hand buffers to the kernel. It refuses closed pages with EFAULT or stops before
 * them, and writes beside a block where no page ends, without a trap: the buffers are checked here.
 */
#include "../../intercept/bounce.h"
#include "../../os/mem.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define NAME (__func__)
#define SITE ((struct site){NAME, FRAME_HERE})
#define NEXT(name)                                                                                 \
    static __typeof__(&name) next;                                                                 \
    if (!next) next = (__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name)

/* ---- one buffer ---- */

#define FILLS(name, parameters, arguments)                                                         \
    WH_EXPORT ssize_t name parameters {                                                            \
        NEXT(name);                                                                                \
        struct bounce bounce = bounce_begin(SITE, to, size);                                       \
        ssize_t count = next arguments;                                                            \
        int saved = errno;                                                                         \
        bounce_end(SITE, &bounce, arrived(count));                                                 \
        errno = saved;                                                                             \
        return count;                                                                              \
    }

#define READS(name, parameters, arguments)                                                         \
    WH_EXPORT ssize_t name parameters {                                                            \
        NEXT(name);                                                                                \
        check_range(SITE, from, size, 0, from);                                                    \
        return next arguments;                                                                     \
    }

FILLS(read, (int file, void *to, size_t size), (file, bounce.buffer, size))
FILLS(pread, (int file, void *to, size_t size, off_t at), (file, bounce.buffer, size, at))
FILLS(pread64, (int file, void *to, size_t size, off64_t at), (file, bounce.buffer, size, at))
FILLS(recv, (int file, void *to, size_t size, int flags), (file, bounce.buffer, size, flags))
READS(write, (int file, const void *from, size_t size), (file, from, size))
READS(pwrite, (int file, const void *from, size_t size, off_t at), (file, from, size, at))
READS(pwrite64, (int file, const void *from, size_t size, off64_t at), (file, from, size, at))
READS(send, (int file, const void *from, size_t size, int flags), (file, from, size, flags))

/* ---- several ---- */

static int are_there(const struct iovec *parts, int count) {
    return count > 0 && access_clean((uintptr_t)parts, (size_t)count * sizeof *parts) &&
           os_readable((uintptr_t)parts);
}

#define PARTS_MOST 64

WH_EXPORT ssize_t readv(int file, const struct iovec *parts, int count) {
    NEXT(readv);
    struct bounce bounces[PARTS_MOST];
    struct iovec fills[PARTS_MOST];
    if (count > PARTS_MOST || !are_there(parts, count)) return next(file, parts, count);
    for (int i = 0; i < count; i++) {
        bounces[i] = bounce_begin(SITE, parts[i].iov_base, parts[i].iov_len);
        fills[i] = (struct iovec){bounces[i].buffer, parts[i].iov_len};
    }
    ssize_t size = next(file, fills, count);
    int saved = errno;
    size_t left = arrived(size);
    for (int i = 0; i < count; i++) {
        bounce_end(SITE, &bounces[i], left);
        left -= fills[i].iov_len < left ? fills[i].iov_len : left;
    }
    errno = saved;
    return size;
}

WH_EXPORT ssize_t writev(int file, const struct iovec *parts, int count) {
    NEXT(writev);
    int known = are_there(parts, count) ? count : 0;
    for (int i = 0; i < known; i++)
        check_range(SITE, parts[i].iov_base, parts[i].iov_len, 0, parts[i].iov_base);
    return next(file, parts, count);
}
