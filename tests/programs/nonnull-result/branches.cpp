// LLVM's nonnull.cpp: of two returns, the report named the closing brace and not the one that returns null.
// RUN: options --enable nonnull-result
__attribute__((returns_nonnull, noinline)) static char *pick(int x, char *a, char *b) {
    if (x > 10) {
        return b;
    } else {
        return a; // EXPECT nonnull-result
    }
}

int main(int argc, char **argv) {
    return pick(argc, argv[argc], argv[0]) == argv[0];
}
