// An array of an over-aligned type is deleted twice.
#include <cstddef>

struct alignas(64) Line {
    char c[64];
};

int main() {
    Line *lines = new Line[3];
    lines[2].c[63] = 1;
    Line *same = lines;
    delete[] lines;
    (void)same;
}
