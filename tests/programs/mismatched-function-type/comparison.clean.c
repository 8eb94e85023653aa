// A comparison is called through a pointer to functions of another type.
// RUN: options --enable mismatched-function-type
typedef int comparison(const void *, const void *);

static int by_length(const void *first, const void *second) {
    const long *a = first, *b = second;
    return (*a > *b) - (*a < *b);
}

static int greatest(const long *numbers, int count, comparison *compare) {
    int best = 0;
    for (int i = 1; i < count; i++)
        if (compare(&numbers[i], &numbers[best]) > 0)
            best = i;
    return best;
}

int main(int argc, char **argv) {
    (void)argv;
    long numbers[] = {3, 9, argc};
    return greatest(numbers, 3, (comparison *)by_length) == 77;
}
