// A function hands out the address of its array through a parameter.
__attribute__((noinline)) static int sum(const int *of, int count) {
    int parts[16] = {0};
    for (int i = 0; i < count; i++)
        parts[i & 15] += of[i];  // EXPECT stack-use-after-scope read 4 block 24 inside 0
    int all = 0;
    for (int i = 0; i < 16; i++)
        all += parts[i];
    return all;
}

__attribute__((noinline)) static int get(int first, const int **into) {
    int values[6];
    for (int i = 0; i < 6; i++)
        values[i] = first * i;
    *into = values;
    return 6;
}

int main(int argc, char **argv) {
    (void)argv;
    const int *values;
    int count = get(argc, &values);
    return sum(values, count) == 1;
}
