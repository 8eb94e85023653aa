// A hash of a signed type is shifted until bits leave it; until C++20, only the bit of the sign is free.
// RUN: options --enable signed-shift-overflow
// RUN: cflags -std=c++17
static int hash(const char *text) {
    int found = 5381;
    for (; *text; text++)
        found = (found << 5) ^ *text; // EXPECT signed-shift-overflow
    return found;
}

int main(int argc, char **argv) {
    (void)argv;
    return hash("a word of some length") == argc;
}
