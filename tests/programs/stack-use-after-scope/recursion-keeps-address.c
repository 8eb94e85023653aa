// The third of seven activations leaves the address of its variable, which the sixth one reads.
static int *kept;

__attribute__((noinline)) static int down(int depth, int keep) {
    int own[2] = {depth, keep};
    if (keep) kept = own;
    int below = depth > 1 ? down(depth - 1, 0) : 0;
    return below + own[0];
}

__attribute__((noinline)) static int read(int depth) {
    volatile int room[20] = {depth};
    if (depth) return read(depth - 1) + room[0];
    return kept[0];  // EXPECT stack-use-after-scope read 4 block 8 inside 0
}

int main(int argc, char **argv) {
    (void)argv;
    int all = down(argc + 2, 1);
    return all + read(4) == 1;
}
