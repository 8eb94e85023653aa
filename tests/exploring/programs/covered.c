/* Lines to which paths come, and, where a comment says so, lines to which none does. With BUG one of
 * two bytes leads to an access behind a block. */
#include "covered.h"

#include <klee/klee.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int prepared;

__attribute__((constructor)) static void prepare(void) {
    prepared = 1;
}

static int unused(int x) {
    int twice = 2 * x; /* no path */
    return twice;      /* no path */
}

static void leave(int status) {
    if (status) /* behind the bug */
        exit(status); /* behind the bug */
}

static int in_a_child(void) {
    int status = 0; /* behind the bug */
    pid_t child = fork(); /* behind the bug */
    if (!child) { /* behind the bug */
        int answer = prepared; /* behind the bug */
        _exit(answer); /* behind the bug */
    }
    waitpid(child, &status, 0); /* behind the bug */
    return WEXITSTATUS(status); /* behind the bug */
}

int main(int argc, char **argv) {
    unsigned char x[2]; /* no code */
    char *block = malloc(4);
    klee_make_symbolic(x, sizeof x, "x");
    (void)argv;
    if (x[0] == 7) {
        block[x[0] - LESS] = 1;
        block[0] = 2; /* behind the bug */
        leave(in_a_child()); /* behind the bug */
        block[1] = 3;        /* no path */
    } else if (x[0] > 255) {
        block[2] = 4; /* no path */
    }
    for (int i = 0; i < 2; i++)
        block[i] = (char)other(argc + i);
    free(block);
    if (x[1] == 1)
        return inlined(x[1]);
    if (argc > 1)
        return unused(argc); /* no path */
    if (x[1] == 2)
        _exit(3);
    return 0;
}
