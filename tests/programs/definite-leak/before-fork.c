// A block that is lost before three forks leaks once; each child loses one of its own besides.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char *volatile held;

static __attribute__((noinline)) void lose(size_t size) {
    held = malloc(size); // EXPECT definite-leak count 1 bytes 100 EXPECT definite-leak count 3 bytes 30
    held = NULL;
}

int main(void) {
    lose(100);
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            lose(10);
            return 0;
        }
    while (wait(NULL) > 0) {
    }
    return 0;
}
