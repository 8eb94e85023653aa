// operator[] of a vector, which is not checked, one past the last element.
#include <vector>

static int sum(const std::vector<int> &v) {
    int total = 0;
    for (std::size_t i = 0; i <= v.size(); i++)
        total += v[i]; // EXPECT heap-buffer-overflow read 4 block 48 after 0
    for (const int *p = v.data(), *end = v.data() + v.size(); p != end; ++p)
        total -= *p;
    return total;
}

int main() {
    std::vector<int> v(12, 3); // ALLOC
    return sum(v);
}
