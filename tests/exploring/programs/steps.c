/* The first byte says which step; some values of the second one make it undefined. Ways 16 to 31 do the
 * same where it is defined. */
#define SIZE 2
#include "paths.h"

#include <stdlib.h>
#include <string.h>

static struct {
    int numbers[4];
    int more[12];
} table;

enum color { RED, GREEN, BLUE, WHITE };

static void explore_me(uint8_t *x) {
    int v = x[1], wide = v << 23;
    if (x[0] >> 4 == 1 && v != 1) return;
    int result = 0;
    switch (x[0] & 15) {
    case 0: result = wide + 0x7e000000 - (1 << 24); break;
    case 1: result = -wide - 0x7e000000 + (3 << 23); break;
    case 2: result = wide * 12; break;
    case 3: result = (int)(3u << v % 64); break;
    case 4: result = table.numbers[v % 16]; break;
    case 5: {
        _Bool truth[1];
        memcpy(truth, &x[1], 1);
        result = truth[0] ? 1 : 2;
        break;
    }
    case 6: {
        signed char small = v / 2 + 3;
        result = small;
        break;
    }
    case 7: {
        char array[4 - v / 64 - (v > 200)];
        result = sizeof array;
        break;
    }
    default: break;
    }
    step(result != 0x1234567);
}
