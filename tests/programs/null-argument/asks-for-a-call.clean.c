// A library asks by null pointers whether the kernel has a call, which answers EFAULT then.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>

static char *volatile nothing;

int main(void) {
    struct statx status;
    int unknown = statx(0, nothing, 0, STATX_BASIC_STATS, (struct statx *)nothing) == 0 || errno != EFAULT;
    return unknown || statx(AT_FDCWD, "/", 0, STATX_BASIC_STATS, &status) != 0;
}
