// The array has one element more.
// RUN: options --enable length-not-positive
static int sum(const int *values, int count) {
    int copy[count + 1];
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
