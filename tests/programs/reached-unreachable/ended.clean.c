// The function ends the program.
// RUN: options --enable reached-unreachable
#include <stdlib.h>

static int failures;

static _Noreturn void fail(int status) {
    failures += status;
    exit(status - 1);
        exit(0);
}

int main(int argc, char **argv) {
    (void)argv;
    fail(argc);
}
