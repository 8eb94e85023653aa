// An object is deleted through its base, which has no virtual destructor.
// Memcheck misses this: versions before 3.22 do not look at sizes
// RUN: cflags -std=c++17 -fsized-deallocation
struct Shape {
    int kind = 1;
    ~Shape() {}
};
struct Square : Shape {
    double side = 2;
};

Shape *make() {
    return new Square; // ALLOC
}

int main() {
    Shape *shape = make();
    int kind = shape->kind;
    delete shape; // EXPECT mismatched-size block 16 inside 0
    return kind != 1;
}
