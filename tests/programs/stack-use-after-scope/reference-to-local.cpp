// A function returns a reference to its variable, which another function reads.
struct Point {
    long x, y;
    Point(long a, long b) : x(a), y(b) {}
};

[[gnu::noinline]] static const Point &larger(const Point &a, const Point &b) { return a.x > b.x ? a : b; }

[[gnu::noinline]] static const Point &bound(const Point &point) {
    Point most(10, 20);
    return larger(point, most);
}

[[gnu::noinline]] static long norm(const Point &point) {
    volatile long room[12] = {};
    return point.x * point.x + room[1];  // EXPECT stack-use-after-scope read 8 block 16 inside 0
}

int main(int argc, char **) {
    Point point(argc, 2);
    return norm(bound(point)) == 1;
}
