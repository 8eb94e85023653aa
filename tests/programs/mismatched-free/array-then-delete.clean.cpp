// A smart pointer to an array owns an array.
#include <memory>

int main() {
    std::unique_ptr<int[]> numbers(new int[4]());
    numbers.get()[3] = 1;
    return numbers[0];
}
