/* Library functions are told how many bytes to access, and where. Even ways access bytes outside of a block for
 * some inputs, the odd ones behind them for none. */
#include <klee/klee.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE 300

static char source[1 << 16];

int main(void) {
    struct {
        unsigned short size;
        unsigned char at, way;
    } in;
    klee_make_symbolic(&in, sizeof in, "in");
    char *block = calloc(1, SIZE), local[SIZE] = {1};
    size_t size = in.size;
    switch (in.way) {
    case 0: memcpy(block, source, size); break;
    case 1: if (size <= SIZE) memcpy(block, source, size); break;
    case 2: memset(block + in.at, 1, 100); break;
    case 3: if (in.at <= SIZE - 100) memset(block + in.at, 1, 100); break;
    case 4: memmove(local, source, size); break;
    case 5: if (size < SIZE) memmove(local + 1, source, size); break;
    case 6: fwrite(block, size, 2, stdout); break;
    case 7: if (size <= SIZE / 2) fwrite(block, size, 2, stdout); break;
    case 8: strncpy(block, "hello", size); break;
    case 9: if (size <= SIZE) strncpy(block, "hello", size); break;
    case 10: if (write(1, block + in.at, size)) break; break;
    case 11: if (size + in.at <= SIZE && write(1, block + in.at, size)) break; break;
    case 12: if (memcmp(block, local, size) == 0) puts("equal"); break;
    case 13: if (size <= SIZE && memcmp(block, local, size) == 0) puts("equal"); break;
    default: break;
    }
    free(block);
    return 0;
}
