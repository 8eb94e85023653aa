// A block that lives before three forks is freed in every process.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char *volatile held;

static __attribute__((noinline)) void make(size_t size) {
    held = malloc(size);
}

int main(void) {
    make(100);
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            free(held);
            return 0;
        }
    while (wait(NULL) > 0) {
    }
    free(held);
    return 0;
}
