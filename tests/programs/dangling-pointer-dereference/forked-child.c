// A forked child reads a block that it freed; the parent's copy is live.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    char *p = calloc(1, 77); // ALLOC
    pid_t child = fork();
    if (child == 0) {
        free(p); // FREE
        _exit(p[70]); // EXPECT dangling-pointer-dereference read 1 block 77 inside 70
    }
    waitpid(child, NULL, 0);
    int v = p[70];
    free(p);
    return v;
}
