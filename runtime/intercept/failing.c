/* Functions that ask the kernel, and may fail where an exploration wants it. Those that answer with
 * something from outside, too, are in outside.c. */
#include "../os/mem.h"
#include "../symbolic/failing.h"
#include "real.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define ERRORS(...) ((const int[]){__VA_ARGS__, 0})
#define MAY_FAIL(type, name, parameters, arguments, ...)                                           \
    WH_EXPORT type name parameters {                                                               \
        int error = failing("failure of " #name, ERRORS(__VA_ARGS__),                              \
                            (uintptr_t)__builtin_return_address(0));                               \
        if (WH_UNLIKELY(error)) {                                                                  \
            errno = error;                                                                         \
            return (type) - 1;                                                                     \
        }                                                                                          \
        return REAL(name) arguments;                                                               \
    }

MAY_FAIL(ssize_t, write, (int file, const void *from, size_t size), (file, from, size), ENOSPC, EIO)
MAY_FAIL(ssize_t, pwrite, (int file, const void *from, size_t size, off_t offset),
         (file, from, size, offset), ENOSPC, EIO)
MAY_FAIL(int, close, (int file), (file), EIO)
MAY_FAIL(int, fsync, (int file), (file), EIO)
MAY_FAIL(int, ftruncate, (int file, off_t size), (file, size), EIO)
MAY_FAIL(int, truncate, (const char *path, off_t size), (path, size), EACCES)
MAY_FAIL(int, mkdir, (const char *path, mode_t mode), (path, mode), EACCES, EEXIST)
MAY_FAIL(int, rmdir, (const char *path), (path), EACCES)
MAY_FAIL(int, chdir, (const char *path), (path), EACCES)
MAY_FAIL(int, chmod, (const char *path, mode_t mode), (path, mode), EPERM)
MAY_FAIL(int, fchmod, (int file, mode_t mode), (file, mode), EPERM)
MAY_FAIL(int, unlink, (const char *path), (path), EACCES)
MAY_FAIL(int, rename, (const char *from, const char *to), (from, to), EACCES)
MAY_FAIL(int, dup, (int file), (file), EMFILE)
MAY_FAIL(int, pipe, (int files[2]), (files), EMFILE)
MAY_FAIL(int, socket, (int family, int type, int protocol), (family, type, protocol), EMFILE)
MAY_FAIL(int, connect, (int file, const struct sockaddr *address, socklen_t size),
         (file, address, size), ECONNREFUSED)
MAY_FAIL(int, listen, (int file, int most), (file, most), EADDRINUSE)
MAY_FAIL(ssize_t, send, (int file, const void *from, size_t size, int flags),
         (file, from, size, flags), EPIPE)
MAY_FAIL(ssize_t, recv, (int file, void *to, size_t size, int flags), (file, to, size, flags),
         ECONNRESET, EINTR)

WH_EXPORT char *getcwd(char *to, size_t size) {
    int error =
        failing("failure of getcwd", ERRORS(EACCES), (uintptr_t)__builtin_return_address(0));
    if (WH_LIKELY(!error)) return REAL(getcwd)(to, size);
    errno = error;
    return NULL;
}
