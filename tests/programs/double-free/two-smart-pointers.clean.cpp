// One unique pointer is moved to another.
#include <memory>

int main() {
    int *raw = new int(5);
    std::unique_ptr<int> a(raw);
    std::unique_ptr<int> b(std::move(a));
    b.reset();
    a.reset();
    return 0;
}
