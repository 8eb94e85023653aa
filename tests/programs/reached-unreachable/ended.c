// A function that does not return comes to its end.
// RUN: options --enable reached-unreachable
#include <stdlib.h>

static int failures;

static _Noreturn void fail(int status) {
    failures += status;
    if (status > 1)
        exit(0);
} // EXPECT reached-unreachable

int main(int argc, char **argv) {
    (void)argv;
    fail(argc);
}
