// The slope of a vertical line is computed.
// RUN: options --enable float-division-by-zero
struct Point {
    float x, y;
};

static float slope(Point a, Point b) {
    return (b.y - a.y) / (b.x - a.x); // EXPECT float-division-by-zero
}

int main(int argc, char **) {
    float x = static_cast<float>(argc);
    return slope({x, 1}, {x, 3}) == 7.0f;
}
