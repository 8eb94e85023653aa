// The parent frees a block before fork, and the child frees it again.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    char *p = malloc(15); // ALLOC
    free(p); // FREE
    pid_t child = fork();
    if (child == 0) {
        free(p); // EXPECT double-free block 15 inside 0
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return 0;
}
