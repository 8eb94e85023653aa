// A function sums up its array of variable length, which others then take the place of.
__attribute__((noinline)) static int make(int count) {
    int values[count + 3];
    for (int i = 0; i < count + 3; i++)
        values[i] = i;
    int *volatile at = values;
    return at[2];
}

int main(int argc, char **argv) {
    (void)argv;
    int all = 0;
    for (int i = 0; i < 50; i++)
        all += make(argc + i) + make(argc);
    return all == 7;
}
