// A smart pointer to one object owns an array.
#include <memory>

int main() {
    std::unique_ptr<int> numbers(new int[4]()); // ALLOC
    numbers.get()[3] = 1;
    return *numbers;
} // EXPECT mismatched-free block 16 inside 0
