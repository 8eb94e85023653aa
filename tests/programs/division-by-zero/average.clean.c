// The average of no numbers is taken for 0.
// RUN: options --enable division-by-zero
#include <stddef.h>

static int average(const int *numbers, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += numbers[i];
    return count ? sum / count : 0;
}

int main(int argc, char **argv) {
    (void)argv;
    int numbers[4] = {1, 2, 3, 4};
    return average(numbers, argc - 1) == 100;
}
