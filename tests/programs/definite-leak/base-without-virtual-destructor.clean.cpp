// An object is deleted through its base, which has a virtual destructor.
struct Base {
    virtual ~Base() {}
    int tag = 1;
};

struct Derived : Base {
    Derived() : data(new int[25]) {}
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
