// A path that was not found is asked for: the answer has a place, so this is no question whether there is the call.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>

static char *volatile nothing;

int main(void) {
    struct statx status;
    return statx(AT_FDCWD, nothing, 0, STATX_BASIC_STATS, &status) != -1; // EXPECT null-argument
}
