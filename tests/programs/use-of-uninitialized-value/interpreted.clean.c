// The same interpreter, whose registers are all written.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int run(const unsigned char *code, const int *registers) {
    static const void *const table[] = {&&load, &&add, &&negate, &&jump, &&stop};
    int sum = 0, rounds = 0;
    goto *table[*code++];
load:
    sum = registers[*code++];
    goto *table[*code++];
add:
    sum += registers[*code++];
    goto *table[*code++];
negate:
    sum = -sum;
    goto *table[*code++];
jump:
    code = ++rounds < 10 ? code - code[0] : code + 1;
    goto *table[*code++];
stop:
    return sum;
}

int main(void) {
    const unsigned char code[] = {0, 0, 1, 1, 2, 3, 5, 1, 2, 4};
    int *registers = malloc(4 * sizeof *registers);
    registers[0] = 20;
    registers[1] = 22;
    registers[2] = 1;
    int result = run(code, registers);
    if (result > 0)
        puts("positive");
    free(registers);
    return 0;
}
