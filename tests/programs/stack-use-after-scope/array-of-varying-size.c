// A function returns the address of its array of variable length, which its caller reads.
__attribute__((noinline)) static int *make(int count) {
    int values[count + 3];
    for (int i = 0; i < count + 3; i++)
        values[i] = i;
    int *volatile at = values;
    return at;
}

int main(int argc, char **argv) {
    (void)argv;
    int *values = make(argc);
    return values[2] == 7;  // EXPECT stack-use-after-scope read 4 block 16 inside 8
}
