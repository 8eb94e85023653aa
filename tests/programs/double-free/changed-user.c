// A program that has given up its privileges, if it had any, and changed its root frees a block again.
#define _GNU_SOURCE
#include <grp.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char *p = malloc(40); // ALLOC
    if (geteuid() == 0) {
        if (chdir("/") || chroot("/tmp") || setgroups(0, NULL) || setgid(65534) || setuid(65534))
            return 1;
    }
    free(p); // FREE
    free(p); // EXPECT double-free block 40 inside 0
    return 0;
}
