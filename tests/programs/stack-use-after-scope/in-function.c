// A pointer to a variable of an inner block is read behind the block, in the same function.

int main(int argc, char **argv) {
    int *last = &argc;
    (void)argv;
    {
        int inner = argc + 1;
        last = &inner;
        *last += 1;
    }
    return *last != 3;  // EXPECT stack-use-after-scope read 4 block 4 inside 0
}
