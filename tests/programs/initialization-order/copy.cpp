// A default is copied from an object that is made later by a function.
// RUN: options --enable initialization-order
struct setting {
    long value, least, most;
};

setting made(long value);
extern setting standard;

static long least() {
    return standard.least; // EXPECT initialization-order
}

long limit = least() + 1;
setting standard = made(5);

setting made(long value) { return {value, value - 1, value + 1}; }

int main() { return limit == 77; }
