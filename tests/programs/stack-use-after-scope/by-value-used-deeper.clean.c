// A function returns an address inside of the object that an argument leads to.
struct large {
    long numbers[12];
};

__attribute__((noinline)) static const long *last_of(const struct large *large) {
    const long *volatile at = &large->numbers[11];
    return at;
}

__attribute__((noinline)) static long twice(const long *number) {
    volatile long room[30] = {0};
    return *number * 2 + room[7];
}

int main(int argc, char **argv) {
    (void)argv;
    struct large large = {{argc}};
    return twice(last_of(&large)) == 1;
}
