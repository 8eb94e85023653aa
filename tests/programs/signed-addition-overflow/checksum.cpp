// A checksum adds up characters in an int, which wraps around.
// RUN: options --enable signed-addition-overflow

template <class T> static T checksum(const char *text) {
    T sum = 2147483000;
    for (; *text; text++)
        sum += *text; // EXPECT signed-addition-overflow
    return sum;
}

int main() { return checksum<int>("a checksum of some text") == 0; }
