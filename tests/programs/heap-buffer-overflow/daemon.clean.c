// A daemon, forked twice and in a session of its own, reads a block after the program that
// started it has ended.
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int sink;

static void serve(int *table) {
    struct timespec wait = {0, 1000000};
    while (getppid() != 1 && wait.tv_nsec < 200000000) { // until our parent has ended
        nanosleep(&wait, NULL);
        wait.tv_nsec *= 2;
    }
    sink = table[2];
    free(table);
    _exit(0);
}

int main(void) {
    int *table = calloc(3, sizeof *table);
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            for (int descriptor = 0; descriptor < 1024; descriptor++)
                close(descriptor);
            serve(table);
        }
        _exit(0);
    }
    wait(NULL);
    free(table);
    return 0;
}
