// The stack of a small interpreter underflows: an instruction pops from an empty stack.
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
            top[-1] += *top; // EXPECT heap-buffer-overflow read 4 block 64 before 4
            break;
        case POP:
            top--;
            break;
        case END:
            return top == stack;
        }
}

int main(void) {
    static const unsigned char code[] = {PUSH, 1, ADD, POP, END};
    int *stack = calloc(16, sizeof *stack); // ALLOC
    int ok = run(code, stack);
    free(stack);
    return !ok;
}
