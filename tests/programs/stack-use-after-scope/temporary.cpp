// A reference to a part of a temporary object is used behind the statement that made the object.
#include <cstdio>

struct Point {
    int x, y;
    const int &first() const { return x; }
};

[[gnu::noinline]] static Point make(int x) { return Point{x, x + 1}; }

[[gnu::noinline]] static int twice(const int &value) {
    return 2 * value;  // EXPECT stack-use-after-scope read 4 block 8 inside 0
}

int main(int argc, char **) {
    const int &x = make(argc).first();
    return twice(x) != 2 * argc;
}
