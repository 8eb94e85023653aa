// The length is compared with what is left behind the offset.
// RUN: options --enable unsigned-addition-overflow
#include <cstddef>

static bool inside(std::size_t offset, std::size_t length, std::size_t size) {
    return offset <= size && length <= size - offset;
}

int main(int argc, char **) { return inside(8, static_cast<std::size_t>(-argc), 64) == inside(65, 0, 64) ? 0 : 1; }
