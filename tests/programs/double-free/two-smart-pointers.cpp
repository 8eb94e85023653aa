// Two unique pointers are made from one raw pointer.
#include <memory>

int main() {
    int *raw = new int(5); // ALLOC
    std::unique_ptr<int> a(raw);
    std::unique_ptr<int> b(raw);
    b.reset(); // FREE
    a.reset(); // EXPECT double-free block 4 inside 0
    return 0;
}
