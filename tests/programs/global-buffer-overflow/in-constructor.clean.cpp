// A constructor that runs before main writes a global array.
#include <stddef.h>

short numbers[5];

struct Filler {
    explicit Filler(short *p, size_t n) {
        for (size_t i = 0; i < n; i++)
            p[i] = 1;
    }
};

static Filler filler(numbers, 5);

int main() { return numbers[4] != 1; }
