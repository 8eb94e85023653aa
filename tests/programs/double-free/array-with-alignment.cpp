// An array of an over-aligned type is deleted twice.
#include <cstddef>

struct alignas(64) Line {
    char c[64];
};

int main() {
    Line *lines = new Line[3]; // ALLOC
    lines[2].c[63] = 1;
    Line *same = lines;
    delete[] lines; // FREE
    delete[] same; // EXPECT double-free block 192 inside 0
}
