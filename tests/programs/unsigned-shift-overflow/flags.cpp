// One flag more than the type has room for.
// RUN: options --enable unsigned-shift-overflow
#include <cstdint>

class Flags {
    std::uint32_t bits_ = 0;

public:
    void add(bool flag) {
        bits_ = bits_ << 1 | flag; // EXPECT unsigned-shift-overflow
    }
    bool none() const { return bits_ == 0; }
};

int main(int argc, char **argv) {
    (void)argv;
    Flags flags;
    for (int i = 0; i < 32 + argc; i++)
        flags.add(true);
    return flags.none();
}
