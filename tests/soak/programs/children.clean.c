// Children are forked one after the other, and each frees its block.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 30 };

static void child(void) {
    char *p = malloc(100);
    if (!p) _exit(3);
    usleep(20000);
    free(p);
    _exit(0);
}

int main(void) {
    int failed = 0;
    for (int i = 0; i < CHILDREN; i++) {
        pid_t pid = fork();
        if (pid == 0) child();
        int status = 0;
        failed += pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0;
    }
    printf("%d\n", failed);
    return 0;
}
