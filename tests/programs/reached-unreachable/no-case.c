// A value has no case in a switch that ends in unreachable code.
// RUN: options --enable reached-unreachable
static int size(int kind) {
    switch (kind) {
    case 0:
        return 4;
    case 1:
        return 8;
    }
    __builtin_unreachable(); // EXPECT reached-unreachable
}

int main(int argc, char **argv) {
    (void)argv;
    return size(1 + argc) == 77;
}
