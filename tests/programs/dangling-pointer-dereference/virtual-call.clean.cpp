// A virtual method is called through a pointer to an object before delete.
struct Animal {
    virtual ~Animal() = default;
    virtual int legs() const = 0;
};

struct Spider : Animal {
    int legs() const override { return count; }
    int count = 8;
};

static int legs(const Animal *a) {
    return a->legs();
}

int main() {
    Animal *a = new Spider;
    int n = legs(a);
    delete a;
    return n != 8;
}
