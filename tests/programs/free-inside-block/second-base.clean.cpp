// An object is deleted through a pointer to its second base, which has a virtual destructor.
struct First {
    virtual ~First() = default;
    long a = 1;
};

struct Second {
    virtual ~Second() = default;
    long b = 2;
};

struct Both : First, Second {
    long c = 3;
};

int main() {
    Second *s = new Both;
    delete s;
    return 0;
}
