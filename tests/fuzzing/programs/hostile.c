/* What programs do to fuzzers, by the first byte of the input. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *nothing(void *unused) { return unused; }

int main(void) {
    int how = getchar(), status = 0;
    pthread_t thread;
    switch (how) {
    case 'h':
        for (;;) {
        }
    case 'm':
        for (;;) {
            char *block = malloc(1 << 20);
            if (!block) return 1;
            memset(block, 1, 1 << 20);
        }
    case 'f': {
        pid_t child = fork();
        if (!child) _exit(3);
        waitpid(child, &status, 0);
        return status != 0;
    }
    case 't':
        if (!pthread_create(&thread, NULL, nothing, NULL)) pthread_join(thread, NULL);
        return 0;
    case 'k': raise(SIGKILL);
    }
    return 0;
}
