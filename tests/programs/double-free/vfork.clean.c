// The child of vfork, which shares all memory with its parent, frees a block.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    char *p = malloc(15);
    pid_t child = vfork();
    if (child == 0) {
        free(p);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status != 0;
}
