// A constructor that runs before main writes past the end of a global array.
#include <stddef.h>

short numbers[5];

struct Filler {
    explicit Filler(short *p, size_t n) {
        for (size_t i = 0; i < n; i++)
            p[i] = 1;  // EXPECT global-buffer-overflow write 2 block 10 after 0
    }
};

static Filler filler(numbers, 6);

int main() { return numbers[4] != 1; }
