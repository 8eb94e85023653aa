// A function returns a struct with the address of its array in it.
struct view {
    const int *values;
    int count;
};

__attribute__((noinline)) static int sum(const int *of, int count) {
    int parts[16] = {0};
    for (int i = 0; i < count; i++)
        parts[i & 15] += of[i];  // EXPECT stack-use-after-scope read 4 block 20 inside 0
    int all = 0;
    for (int i = 0; i < 16; i++)
        all += parts[i];
    return all;
}

__attribute__((noinline)) static struct view make(int first) {
    int values[5];
    for (int i = 0; i < 5; i++)
        values[i] = first - i;
    return (struct view){values, 5};
}

int main(int argc, char **argv) {
    (void)argv;
    struct view view = make(argc);
    return sum(view.values, view.count) == 1;
}
