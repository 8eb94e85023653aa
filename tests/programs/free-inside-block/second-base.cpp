// An object is deleted through a pointer to its second base, which has no virtual destructor.
struct First {
    virtual ~First() = default;
    long a = 1;
};

struct Second {
    long b = 2;
};

struct Both : First, Second {
    long c = 3;
};

int main() {
    Second *s = new Both; // ALLOC
    delete s; // EXPECT free-inside-block block 32 inside 16
    return 0;
}
