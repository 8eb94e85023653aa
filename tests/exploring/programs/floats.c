/* Steps with floating-point numbers, which have no expressions: each path meets those that it has. */
#define SIZE 1
#include "paths.h"

static volatile double numbers[] = {2.5, 1e300, 0.0};

static void explore_me(uint8_t *x) {
    double number = numbers[0], divisor = numbers[0];
    if (x[0] == 7)
        number = numbers[1];
    if (x[0] == 8)
        divisor = numbers[2];
    if (x[0] == 9 && numbers[1] < 2e9) /* as 7, but looked at before */
        number = numbers[1];
    if (x[0] == 10 && numbers[2] != 0.0) /* as 8 */
        divisor = numbers[2];
    step((int)number == 2);
    step(number / divisor > 1.0);
}
