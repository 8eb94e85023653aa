// The child of vfork, which shares all memory with its parent, frees a block that its parent has freed.
// RUN: status 99
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    char *p = malloc(15); // ALLOC
    free(p); // FREE
    pid_t child = vfork();
    if (child == 0) {
        free(p); // EXPECT double-free block 15 inside 0
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status != 0;
}
