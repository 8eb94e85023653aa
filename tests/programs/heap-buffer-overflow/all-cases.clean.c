// The cases of a switch write inside the block.
#include <stdlib.h>

__attribute__((noinline)) static void store(short *to, int kind, int i) {
    switch (kind) {
    case 0:
        to[i] = 7;
        break;
    case 1:
        to[i] = 70;
        break;
    case 2:
        to[i] = 700;
        break;
    default:
        to[i] = 7000;
        break;
    }
}

int main(void) {
    short *to = malloc(6 * sizeof *to);
    for (int kind = 0; kind < 4; kind++)
        store(to, kind, kind == 2 ? 5 : kind);
    free(to);
    return 0;
}
