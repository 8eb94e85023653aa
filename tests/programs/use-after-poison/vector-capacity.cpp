// A pointer into a vector is used beyond the vector's size, within its capacity.
// RUN: cflags -D_GLIBCXX_SANITIZE_VECTOR=1 -D_GLIBCXX_SANITIZE_STD_ALLOCATOR=1
#include <cstdio>
#include <vector>

int main(int argc, char **argv) {
    (void)argv;
    std::vector<int> numbers;
    numbers.reserve(100);
    for (int i = 0; i < 7; i++) numbers.push_back(i);
    numbers.pop_back();
    int *first = numbers.data();
    int sum = first[5];
    sum += first[5 + argc];  // EXPECT use-after-poison read 4
    numbers.resize(50);
    sum += first[49];
    numbers.clear();
    numbers.push_back(sum);
    numbers.shrink_to_fit();
    std::vector<char> text(3, 'a');
    text.insert(text.begin() + 1, 20, 'b');
    text.erase(text.begin(), text.begin() + 9);
    std::printf("%d %zu\n", numbers.front(), text.size());
    return 0;
}
