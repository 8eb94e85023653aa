// The number is compared with the room.
// RUN: options --enable pointer-overflow
#include <cstddef>
#include <cstdlib>

static long *behind(long *at, std::ptrdiff_t count) {
    return count > 8 ? nullptr : at + count;
}

int main(int argc, char **) {
    long *block = static_cast<long *>(std::malloc(8 * sizeof(long)));
    std::ptrdiff_t count = static_cast<std::ptrdiff_t>(1) << (61 + argc);
    long *found = behind(block, count);
    std::free(block);
    return found == block + 3;
}
