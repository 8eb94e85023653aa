// An object is taken for one of a class derived from its own.
// RUN: options --enable mismatched-class
struct Shape {
    virtual ~Shape() = default;
    virtual int area() const { return 0; }
    int id = 1;
};
struct Square : Shape {
    int side = 2;
    int area() const override { return side * side; }
};

static int side(Shape &shape) {
    return static_cast<Square &>(shape).side; // EXPECT mismatched-class
}

int main(int argc, char **) {
    Shape shape;
    shape.id = argc;
    return side(shape) == 77;
}
