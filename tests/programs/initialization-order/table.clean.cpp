// An initialiser looks up a table of constants.
// RUN: options --enable initialization-order

extern int factors[4];

static int product(int a, int b) {
    return factors[a] * factors[b];
}

int first = product(1, 2);
int factors[4] = {2, 3, 5, 7};

int main() { return first == 77; }
