// A value has no case, and the function no other return.
// RUN: options --enable missing-return
enum Level { low, middle, high };

static int weight(int level) {
    switch (level) {
    case low: return 1;
    case middle: return 2;
    case high: return 3;
    }
    return 0;
}

int main(int argc, char **) { return weight(argc + 6) == 77; }
