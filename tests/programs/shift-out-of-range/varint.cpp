// A number of variable length has too many bytes.
// RUN: options --enable shift-out-of-range
#include <cstdint>
#include <cstddef>

static std::uint32_t decode(const unsigned char *bytes) {
    std::uint32_t value = 0;
    for (unsigned shift = 0;; shift += 7, bytes++) {
        value |= (*bytes & 0x7fu) << shift; // EXPECT shift-out-of-range
        if (!(*bytes & 0x80u))
            return value;
    }
}

int main() {
    const unsigned char bytes[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01};
    return decode(bytes) == 7;
}
