// An object of a derived class is used through a pointer to its base.
struct Shape {
    virtual ~Shape() = default;
    virtual int corners() const { return 0; }
};

struct Square : Shape {
    int corners() const override { return 4; }
    double side = 0;
};

static void resize(Shape *s, double side) {
    static_cast<Square *>(s)->side = side;
}

int main() {
    Shape *s = new Square;
    resize(s, 2.5);
    int n = s->corners();
    delete s;
    return n == 99;
}
