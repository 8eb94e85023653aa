#include "stack.h"
#include "whence_abi.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define WANTED (8ul << 20)
#define LEAST (256ul << 10) /* what the interpreter needs for a report, and some more */

static struct rlimit users;
static int raised;

static rlim_t current(void) {
    struct rlimit now;
    return getrlimit(RLIMIT_STACK, &now) == 0 ? now.rlim_cur : RLIM_INFINITY;
}

void stack_raise(void) {
    if (getrlimit(RLIMIT_STACK, &users) != 0 || users.rlim_cur >= WANTED) return;
    struct rlimit wanted = {WANTED, users.rlim_max > WANTED ? users.rlim_max : WANTED};
    raised = setrlimit(RLIMIT_STACK, &wanted) == 0;
    if (raised || users.rlim_max <= users.rlim_cur) return;
    wanted = (struct rlimit){users.rlim_max, users.rlim_max};
    raised = setrlimit(RLIMIT_STACK, &wanted) == 0;
}

void stack_restore(void) {
    if (raised) setrlimit(RLIMIT_STACK, &users);
}

void stack_hand_over(void) {
    char value[64];
    if (current() < LEAST) {
        fprintf(stderr,
                "whence: the stack is limited to %lu KiB (ulimit -s), and whence needs %lu: "
                "leave the hard limit higher (ulimit -Ss)\n",
                (unsigned long)current() >> 10, LEAST >> 10);
        exit(125);
    }
    if (!raised) return;
    snprintf(value, sizeof value, "%lu:%lu", users.rlim_cur, users.rlim_max);
    setenv(WH_STACK_VARIABLE, value, 1);
}
