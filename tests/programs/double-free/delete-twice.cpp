// An object with a trivial destructor is deleted twice.
struct Plain {
    int a, b;
};

int main() {
    auto *p = new Plain{1, 2}; // ALLOC
    delete p; // FREE
    delete p; // EXPECT double-free block 8 inside 0
    return 0;
}
