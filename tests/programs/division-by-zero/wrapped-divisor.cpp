// The divisor is computed from a size and wraps to 0.
// RUN: options --enable division-by-zero
#include <cstdint>

static unsigned blocks(unsigned bytes, std::uint8_t last) {
    return bytes / static_cast<std::uint8_t>(last + 1); // EXPECT division-by-zero
}

int main(int argc, char **) { return blocks(512, static_cast<std::uint8_t>(254 + argc)) == 7; }
