// A search that finds nothing ends without return.
// RUN: options --enable missing-return
static const int *find(const int *numbers, int count, int wanted) { // EXPECT missing-return
    for (int i = 0; i < count; i++)
        if (numbers[i] == wanted)
            return &numbers[i];
}

int main(int argc, char **) {
    const int numbers[] = {2, 3, 5};
    return find(numbers, 3, argc + 5) == numbers;
}
