// The child of vfork sets the handler of a signal back, as Python's subprocess does; that of its parent stays.
// RUN: status 99
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void leave(int number) {
    (void)number;
    _exit(3);
}

int main(int argc, char **argv) {
    struct sigaction own, standard;
    memset(&own, 0, sizeof own);
    memset(&standard, 0, sizeof standard);
    own.sa_handler = leave;
    standard.sa_handler = SIG_DFL;
    sigaction(SIGSEGV, &own, NULL);
    pid_t child = vfork();
    if (child == 0) {
        sigaction(SIGSEGV, &standard, NULL);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    int *number = argc > 5 ? (int *)argv[5] : NULL;
    *number = 1; // EXPECT null-pointer-dereference
    return 0;
}
