// A virtual method is called through a pointer to an object after delete.
struct Animal {
    virtual ~Animal() = default;
    virtual int legs() const = 0;
};

struct Spider : Animal { // FREE
    int legs() const override { return count; }
    int count = 8;
};

static int legs(const Animal *a) {
    return a->legs(); // EXPECT dangling-pointer-dereference read 8 block 16 inside 0
}

int main() {
    Animal *a = new Spider; // ALLOC
    delete a;
    return legs(a) != 8;
}
