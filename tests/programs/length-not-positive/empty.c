// An array gets the length of an empty list.
// RUN: options --enable length-not-positive
static int sum(const int *values, int count) {
    int copy[count]; // EXPECT length-not-positive
    int result = 0;
    for (int i = 0; i < count; i++) {
        copy[i] = values[i];
        result += copy[i];
    }
    return result;
}

int main(int argc, char **argv) {
    (void)argv;
    int values[] = {1, 2};
    return sum(values, argc - 1) == 77;
}
