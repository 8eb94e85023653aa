// A reference to a part of a temporary object is used where the object lives on.
#include <cstdio>

struct Point {
    int x, y;
    const int &first() const { return x; }
};

[[gnu::noinline]] static Point make(int x) { return Point{x, x + 1}; }

[[gnu::noinline]] static int twice(const int &value) {
    return 2 * value;
}

int main(int argc, char **) {
    const Point &point = make(argc);
    const int &x = point.first();
    return twice(x) != 2 * argc;
}
