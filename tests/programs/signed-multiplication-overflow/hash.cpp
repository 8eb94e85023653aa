// A hash is computed with signed numbers of 64 bits.
// RUN: options --enable signed-multiplication-overflow
#include <cstdint>
#include <string>

static std::int64_t hash(const std::string &text) {
    std::int64_t value = 1469598103934665603;
    for (unsigned char c : text) {
        value ^= c;
        value *= 1099511628211; // EXPECT signed-multiplication-overflow
    }
    return value;
}

int main() { return hash("some text") == 0; }
