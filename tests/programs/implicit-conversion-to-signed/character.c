// A byte above 127 is kept in a signed character.
// RUN: options --enable implicit-conversion-to-signed
static signed char kept[4];

static void keep(int at, unsigned char byte) {
    kept[at] = byte; // EXPECT implicit-conversion-to-signed
}

int main(int argc, char **argv) {
    (void)argv;
    keep(argc & 3, (unsigned char)(199 + argc));
    return kept[0] == 7;
}
