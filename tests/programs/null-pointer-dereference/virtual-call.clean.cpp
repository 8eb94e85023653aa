// A virtual method is called on what dynamic_cast returned if that is not null.
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
    return d ? d->value() : 0;
}
