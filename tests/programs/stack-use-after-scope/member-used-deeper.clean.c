// A function returns a struct with the array in it.
struct view {
    int values[5];
    int count;
};

__attribute__((noinline)) static int sum(const int *of, int count) {
    int parts[16] = {0};
    for (int i = 0; i < count; i++)
        parts[i & 15] += of[i];
    int all = 0;
    for (int i = 0; i < 16; i++)
        all += parts[i];
    return all;
}

__attribute__((noinline)) static struct view make(int first) {
    struct view made;
    for (int i = 0; i < 5; i++)
        made.values[i] = first - i;
    made.count = 5;
    return made;
}

int main(int argc, char **argv) {
    (void)argv;
    struct view view = make(argc);
    return sum(view.values, view.count) == 1;
}
