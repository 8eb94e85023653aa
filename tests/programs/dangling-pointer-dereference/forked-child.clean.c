// A forked child frees its copy of a block; the parent goes on using its own.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    char *p = calloc(1, 77);
    pid_t child = fork();
    if (child == 0) {
        free(p);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    int v = p[70];
    free(p);
    return v;
}
