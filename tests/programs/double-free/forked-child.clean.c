// Parent and child free a block after fork: each has its own.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    char *p = malloc(15);

    pid_t child = fork();
    if (child == 0) {
        free(p);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    free(p);
    return 0;
}
