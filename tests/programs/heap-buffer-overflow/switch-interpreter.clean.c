// A small interpreter uses its stack down to empty.
#include <stdlib.h>

enum { PUSH, ADD, POP, END };

static int run(const unsigned char *code, int *stack) {
    int *top = stack;
    for (;;)
        switch (*code++) {
        case PUSH:
            *top++ = *code++;
            break;
        case ADD:
            top--;
            top[-1] += *top;
            break;
        case POP:
            top--;
            break;
        case END:
            return top == stack;
        }
}

int main(void) {
    static const unsigned char code[] = {PUSH, 1, PUSH, 2, ADD, POP, END};
    int *stack = calloc(16, sizeof *stack);
    int ok = run(code, stack);
    free(stack);
    return !ok;
}
