// A number that is negative or too large becomes a byte.
// RUN: options --enable implicit-conversion-to-unsigned
static unsigned char parts[3];

static void set(int part, int value) {
    if (value < 0)
        value = 0;
    parts[part] = value;
}

int main(int argc, char **argv) {
    (void)argv;
    set(argc, argc - 20);
    return parts[0] == 7;
}
