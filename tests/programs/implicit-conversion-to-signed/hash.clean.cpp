// A hash is taken for a signed index.
// RUN: options --enable implicit-conversion-to-signed
static unsigned hash(const char *text) {
    unsigned found = 2166136261u;
    while (*text)
        found = (found ^ static_cast<unsigned char>(*text++)) * 16777619u;
    return found | 0x80000000u;
}

int main(int argc, char **argv) {
    int index = static_cast<int>(hash(argv[0]) % 64);
    return index == argc + 100;
}
