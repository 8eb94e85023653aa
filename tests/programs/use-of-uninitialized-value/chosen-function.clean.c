// The function to call is set.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>

struct action {
    int number;
    void (*run)(int);
};

static void print(int number) { printf("%d\n", number); }

__attribute__((noinline)) static void start(const struct action *action) {
    action->run(1);
}

int main(int argc, char **argv) {
    (void)argv;
    struct action *action = malloc(sizeof *action);
    if (!action)
        return 1;
    action->number = 1;
    if (argc > 0)
        action->run = print;
    start(action);
    free(action);
    return 0;
}
