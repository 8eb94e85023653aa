// An initialiser looks up a table that is initialised behind it.
// RUN: options --enable initialization-order
#include <cstdlib>

extern int factors[4];

static int product(int a, int b) {
    return factors[a] * factors[b]; // EXPECT initialization-order
}

int first = product(1, 2);
int factors[4] = {std::atoi("2"), std::atoi("3"), std::atoi("5"), std::atoi("7")};

int main() { return first == 77; }
