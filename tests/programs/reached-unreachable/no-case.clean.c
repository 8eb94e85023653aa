// The value has a case.
// RUN: options --enable reached-unreachable
static int size(int kind) {
    switch (kind) {
    case 0:
        return 4;
    case 1:
        return 8;
    case 2:
        return 16;
    }
    __builtin_unreachable();
}

int main(int argc, char **argv) {
    (void)argv;
    return size(1 + argc) == 77;
}
