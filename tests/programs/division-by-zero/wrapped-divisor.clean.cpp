// The divisor is computed in a type where it does not wrap.
// RUN: options --enable division-by-zero
#include <cstdint>

static unsigned blocks(unsigned bytes, std::uint8_t last) {
    return bytes / (last + 1u);
}

int main(int argc, char **) { return blocks(512, static_cast<std::uint8_t>(254 + argc)) == 7; }
