// A number of elements from a file is larger than memory.
// RUN: options --enable pointer-overflow
#include <cstddef>
#include <cstdlib>

static long *behind(long *at, std::ptrdiff_t count) {
    return at + count; // EXPECT pointer-overflow
}

int main(int argc, char **) {
    long *block = static_cast<long *>(std::malloc(8 * sizeof(long)));
    std::ptrdiff_t count = static_cast<std::ptrdiff_t>(1) << (61 + argc);
    long *found = behind(block, count);
    std::free(block);
    return found == block + 3;
}
