// A reference is made from a null pointer.
// RUN: options --enable nonnull-argument
static int larger(const int &a, int b) { return b > 0 ? b : a; }

static int of(const int *found, int b) {
    return larger(*found, b); // EXPECT nonnull-argument
}

int main(int argc, char **argv) { return of(argv[argc] ? &argc : nullptr, argc) == 77; }
