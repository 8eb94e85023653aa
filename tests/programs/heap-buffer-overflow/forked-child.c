// A forked child overruns a block that its parent allocated.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    char *p = calloc(1, 11); // ALLOC
    pid_t child = fork();
    if (child == 0) {
        p[11] = 1; // EXPECT heap-buffer-overflow write 1 block 11 after 0
        _exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    int untouched = p[10] == 0;
    free(p);
    return 0;
}
