// An activation leaves the address of its variable, which those below it read while it goes on.
static int *kept;

__attribute__((noinline)) static int down(int depth, int keep) {
    int own[2] = {depth, keep};
    if (keep) kept = own;
    int below = depth > 1 ? down(depth - 1, 0) : kept[0];
    return below + own[0];
}

int main(int argc, char **argv) {
    (void)argv;
    return down(argc + 2, 1) + down(300, 1) == 1;
}
