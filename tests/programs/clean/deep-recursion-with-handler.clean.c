// Recursion that fits on the stack without checks, in a program that reports a full stack itself, once, on a
// stack of its own for signals.
// Interpreters do this: awk, m4 and others use libsigsegv for it
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long length;

static void full(int number) {
    _exit(3);
}

static void number(char *to, int value) {
    snprintf(to, 24, "%d", value);
}

__attribute__((noinline)) static int nest(int depth, int most) {
    char first[24], last[24];
    number(first, depth);
    int below = depth < most ? nest(depth + 1, most) : 0;
    number(last, below);
    length += strlen(first) + strlen(last);
    return below + 1;
}

int main(void) {
    static char room[1 << 16];
    stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    struct sigaction action = {0}, now;
    action.sa_handler = full;
    action.sa_flags = SA_ONSTACK | SA_RESETHAND;
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, NULL);
    int depth = nest(1, 40000);
    sigaction(SIGSEGV, NULL, &now);
    return depth != 40000 || now.sa_handler != full;
}
