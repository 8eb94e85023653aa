// A signal handler on a stack of its own reads an array of a function that has returned.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *kept;

__attribute__((noinline)) static void describe(int number) {
    char text[32];
    snprintf(text, sizeof text, "signal %d", number);
    kept = text;
}

static void on_signal(int number) {
    describe(number);
    char first = kept[0]; // EXPECT stack-use-after-scope read 1 block 32 inside 0
    putchar(first);
    putchar('\n');
}

int main(void) {
    size_t size = 1 << 16;
    stack_t stack = {.ss_sp = malloc(size), .ss_size = size};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 3; i++) raise(SIGUSR1);
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    memset(stack.ss_sp, 0, size);
    free(stack.ss_sp);
    return 0;
}
