// A pointer to a variable of an inner block is read in it, in the same function.

int main(int argc, char **argv) {
    int *last = &argc;
    (void)argv;
    {
        int inner = argc + 1;
        last = &inner;
        *last += 1;
        return *last != 3;
    }
    return 2;
}
