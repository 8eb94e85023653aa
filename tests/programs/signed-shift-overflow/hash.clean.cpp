// A hash of an unsigned type is shifted until bits leave it.
// RUN: options --enable signed-shift-overflow
// RUN: cflags -std=c++17
static unsigned hash(const char *text) {
    unsigned found = 5381;
    for (; *text; text++)
        found = (found << 5) ^ *text;
    return found;
}

int main(int argc, char **argv) {
    (void)argv;
    return hash("a word of some length") == static_cast<unsigned>(argc);
}
