// The address of a static variable goes up three returns and down two calls.
__attribute__((noinline)) static int *innermost(int value) {
    static int found[3];
    found[0] = value;
    int *volatile at = found + 1;
    return at;
}

__attribute__((noinline)) static int *middle(int value) {
    int more = value * 2;
    return innermost(more) + 1;
}

__attribute__((noinline)) static int *outer(int value) { return middle(value + 1); }

__attribute__((noinline)) static void set(int *at, int value) {
    volatile int room[8] = {value};
    *at = room[0];
}

__attribute__((noinline)) static void use(int *at) { set(at, 3); }

int main(int argc, char **argv) {
    (void)argv;
    use(outer(argc));
    return 0;
}
