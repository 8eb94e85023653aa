// A vector is made with new and deleted.
// RUN: options --enable indirect-leak
#include <vector>

static std::vector<int> *numbers;

__attribute__((noinline)) static void fill() {
    numbers = new std::vector<int>;
    numbers->reserve(100);
    numbers->push_back(1);
}

int main() {
    fill();
    delete numbers;
    numbers = nullptr;
    return 0;
}
