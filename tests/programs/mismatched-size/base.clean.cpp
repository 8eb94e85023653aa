// An object is deleted through its base, which has a virtual destructor.
// RUN: cflags -std=c++17 -fsized-deallocation
struct Shape {
    int kind = 1;
    virtual ~Shape() {}
};
struct Square : Shape {
    double side = 2;
};

Shape *make() {
    return new Square;
}

int main() {
    Shape *shape = make();
    int kind = shape->kind;
    delete shape;
    return kind != 1;
}
