// A number that is negative or too large becomes a byte.
// RUN: options --enable implicit-conversion-to-unsigned
static unsigned char parts[3];

static void set(int part, int value) {
    parts[part] = value; // EXPECT implicit-conversion-to-unsigned
}

int main(int argc, char **argv) {
    (void)argv;
    set(argc, argc - 20);
    return parts[0] == 7;
}
