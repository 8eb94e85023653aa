// A forked child and its parent write the same block, each its own copy.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    char *p = calloc(1, 11);
    pid_t child = fork();
    if (child == 0) {
        p[10] = 1;
        _exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    int untouched = p[10] == 0;
    free(p);
    return WEXITSTATUS(status) != 7 || !untouched;
}
