// A function returns a reference to the larger of two variables that live.
struct Point {
    long x, y;
    Point(long a, long b) : x(a), y(b) {}
};

[[gnu::noinline]] static const Point &larger(const Point &a, const Point &b) { return a.x > b.x ? a : b; }

[[gnu::noinline]] static long norm(const Point &point) {
    volatile long room[12] = {};
    return point.x * point.x + room[1];
}

[[gnu::noinline]] static long bound(const Point &point) {
    Point most(10, 20);
    return norm(larger(point, most));
}

int main(int argc, char **) {
    Point point(argc, 2);
    return bound(point) == 1;
}
