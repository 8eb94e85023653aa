// Two variables are ordered by their addresses with std::less.
// RUN: options --enable pointer-comparison
#include <functional>

static int first, second;

static const int *lower(const int *a, const int *b) {
    return std::less<const int *>()(a, b) ? a : b;
}

int main() {
    int local[4] = {1, 2, 3, 4};
    int *volatile at = local;
    return lower(&first, &second) == at || lower(at, &first) == &second;
}
