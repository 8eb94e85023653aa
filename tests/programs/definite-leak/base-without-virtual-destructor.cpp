// An object is deleted through its base, which has no virtual destructor: the block of its member
// is lost.
// The delete passes no size: with one, as ASan does, the delete itself is the finding.
// RUN: cflags -fno-sized-deallocation
struct Base {
    ~Base() {}
    int tag = 1;
};

struct Derived : Base {
    Derived() : data(new int[25]) {} // EXPECT definite-leak block 100 count 1 bytes 100
    ~Derived() { delete[] data; }
    int *data;
};

__attribute__((noinline)) static Base *make() {
    return new Derived;
}

__attribute__((noinline)) static void drop(Base *b) {
    delete b;
}

int main() {
    drop(make());
    return 0;
}
