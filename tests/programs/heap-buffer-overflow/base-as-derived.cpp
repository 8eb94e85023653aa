// An object is treated as an object of a derived class, and a member that it does not have is
// written.
struct Shape {
    virtual ~Shape() = default;
    virtual int corners() const { return 0; }
};

struct Square : Shape {
    int corners() const override { return 4; }
    double side = 0;
};

static void resize(Shape *s, double side) {
    static_cast<Square *>(s)->side = side; // EXPECT heap-buffer-overflow write 8 block 8 after 0
}

int main() {
    Shape *s = new Shape; // ALLOC
    resize(s, 2.5);
    int n = s->corners();
    delete s;
    return n == 99;
}
