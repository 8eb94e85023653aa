// A checksum adds up characters in an unsigned int, which may wrap around.
// RUN: options --enable signed-addition-overflow

template <class T> static T checksum(const char *text) {
    T sum = 2147483000;
    for (; *text; text++)
        sum = static_cast<int>(static_cast<unsigned>(sum) + static_cast<unsigned char>(*text));
    return sum;
}

int main() { return checksum<int>("a checksum of some text") == 0; }
