// A function writes into the array that its caller gives it.
__attribute__((noinline)) static int sum(const int *of, int count) {
    int parts[16] = {0};
    for (int i = 0; i < count; i++)
        parts[i & 15] += of[i];
    int all = 0;
    for (int i = 0; i < 16; i++)
        all += parts[i];
    return all;
}

__attribute__((noinline)) static int get(int first, int *into) {
    for (int i = 0; i < 6; i++)
        into[i] = first * i;
    return 6;
}

int main(int argc, char **argv) {
    (void)argv;
    int values[6];
    int count = get(argc, values);
    return sum(values, count) == 1;
}
