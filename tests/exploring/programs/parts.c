/* The first byte says what is done, the second one with which element; some elements are those that a rule
 * is about. Ways 16 to 31 do the same where the program excludes these. */
#define SIZE 2
#include "paths.h"

#include <sanitizer/asan_interface.h>
#include <stdlib.h>

#define COUNT 16

static int element(uint8_t *x, int bad) {
    int i = x[1] % COUNT;
    if (x[0] >> 4 == 1 && i == bad) exit(0);
    return i;
}

static void explore_me(uint8_t *x) {
    int *numbers = malloc(COUNT * sizeof *numbers), i, found = 0;
    unsigned char *block = (unsigned char *)numbers;
    for (i = 0; i < COUNT; i++)
        if (i != 5) numbers[i] = i;
    if (x[0] >> 4 > 1) x[0] = 4;
    switch (x[0] & 15) {
    case 0:
        ASAN_POISON_MEMORY_REGION(block + 8, 8);
        i = element(x, -1);
        if (x[0] >> 4 == 1 && i / 8 == 1) i = 0;
        found = block[i];
        ASAN_UNPOISON_MEMORY_REGION(block + 8, 8);
        break;
    case 1:
        if (numbers[element(x, 5)] == 3) step(3);
        break;
    case 2:
        block[element(x, 6)] = 1;
        break;
    case 3: {
        unsigned sum = 0xffffff00u + x[1];
        if (x[0] >> 4 == 1 && x[1] > 0xef) break;
        found = sum + 16u == 77;
        break;
    }
    default: break;
    }
    free(numbers);
    step(found != 0x1234567);
}
