// A threaded interpreter with computed gotos, asm goto and a switch into a loop (Duff's device).
#include <stdlib.h>

static int interpret(const unsigned char *code, int *stack) {
    static const void *const label[] = {&&push, &&add, &&times, &&end};
    int *sp = stack;
    goto *label[*code++];
push:
    *sp++ = *code++;
    goto *label[*code++];
add:
    sp--;
    sp[-1] += sp[0];
    goto *label[*code++];
times:
    sp--;
    sp[-1] *= sp[0];
    goto *label[*code++];
end:
    return sp[-1];
}

static void duff(short *to, const short *from, int count) {
    int n = (count + 3) / 4;
    switch (count % 4) {
    case 0:
        do {
            *to++ = *from++;
        case 3:
            *to++ = *from++;
        case 2:
            *to++ = *from++;
        case 1:
            *to++ = *from++;
        } while (--n > 0);
    }
}

static int jumps(int *p) {
    __asm__ goto("cmpl $0, %0; jne %l1" : : "m"(*p) : "cc" : yes);
    return 0;
yes:
    return 1;
}

int main(void) {
    static const unsigned char code[] = {0, 6, 0, 3, 0, 4, 1, 2, 3};
    int *stack = malloc(3 * sizeof *stack);
    int v = interpret(code, stack);
    free(stack);
    short *a = calloc(11, sizeof *a), *b = calloc(11, sizeof *b);
    b[10] = 9;
    duff(a, b, 11);
    int ok = a[10] == 9;
    free(a);
    free(b);
    int *flag = malloc(sizeof *flag);
    *flag = 1;
    ok &= jumps(flag);
    free(flag);
    return !(ok && v == 42);
}
