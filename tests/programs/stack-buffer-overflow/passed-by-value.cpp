// A function reads before the first member of an array in a struct that was passed to it by value.
struct Numbers {
    int values[8];
};

[[gnu::noinline]] static int sum(const int *values, int from, int to) {
    int total = 0;
    for (int i = from; i < to; i++)
        total += values[i]; // EXPECT stack-buffer-overflow read 4 block 32 before 4
    return total;
}

[[gnu::noinline]] static int total(int from, Numbers numbers) { // BORN
    return sum(numbers.values, from, 8);
}

int main(int argc, char **) {
    Numbers numbers = {{1, 2, 3, 4, 5, 6, 7, 8}};
    return total(argc - 2, numbers) == 0;
}
