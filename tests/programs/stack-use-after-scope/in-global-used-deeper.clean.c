// A function leaves the address of its static array in a global variable; a function called later sums it up.
static const int *latest;

__attribute__((noinline)) static int sum(const int *of, int count) {
    int parts[16] = {0};
    for (int i = 0; i < count; i++)
        parts[i & 15] += of[i];
    int all = 0;
    for (int i = 0; i < 16; i++)
        all += parts[i];
    return all;
}

__attribute__((noinline)) static void remember(int first) {
    static int values[8];
    for (int i = 0; i < 8; i++)
        values[i] = first + i;
    latest = values;
}

int main(int argc, char **argv) {
    (void)argv;
    remember(argc);
    return sum(latest, 8) == 1;
}
