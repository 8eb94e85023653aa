// A default is copied from an object that was made before.
// RUN: options --enable initialization-order
struct setting {
    long value, least, most;
};

setting made(long value);
extern setting standard;

static long least() {
    return standard.least;
}

setting standard = made(5);
long limit = least() + 1;

setting made(long value) { return {value, value - 1, value + 1}; }

int main() { return limit == 77; }
