// A virtual method is called on the null pointer that dynamic_cast returned.
struct Base {
    virtual ~Base() = default;
};

struct Derived : Base {
    virtual int value() const { return 1; }
};

int main() {
    Base b;
    Base *p = &b;
    auto *d = dynamic_cast<Derived *>(p);
    return d->value(); // EXPECT null-pointer-dereference read 8 address 0
}
