// A variable is null for a while, in branches that end where the function returns it, and is not null then.
// RUN: options --enable nonnull-result
__attribute__((returns_nonnull, noinline)) static char *pick(int x, char *a, char *b) {
    char *found;
    if (x > 10)
        found = b;
    else
        found = a;
    if (!found)
        found = b;
    return found;
}

int main(int argc, char **argv) {
    return pick(argc, argv[argc], argv[0]) != argv[0];
}
