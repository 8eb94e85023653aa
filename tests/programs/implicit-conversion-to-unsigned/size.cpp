// A difference is negative, and is passed as a size.
// RUN: options --enable implicit-conversion-to-unsigned
#include <string>

static std::string padding(unsigned long count) { return std::string(count & 15, ' '); }

static std::string pad(int width, int length) {
    int rest = width - length;
    return padding(rest); // EXPECT implicit-conversion-to-unsigned
}

int main(int argc, char **) { return pad(4, 5 + argc).size() == 77; }
