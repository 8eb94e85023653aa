// A vector is made with new and never deleted: its elements are reachable only from it.
// RUN: options --enable indirect-leak
#include <vector>

static std::vector<int> *numbers;

__attribute__((noinline)) static void fill() {
    numbers = new std::vector<int>; // EXPECT definite-leak block 24 count 1 bytes 24
    numbers->reserve(100); // EXPECT indirect-leak block 400 count 1 bytes 400 indirect 1
    numbers->push_back(1);
}

int main() {
    fill();
    numbers = nullptr;
    return 0;
}
