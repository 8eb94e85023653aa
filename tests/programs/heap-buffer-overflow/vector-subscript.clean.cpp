// operator[] of a vector for each of its elements, data() + size() as an end.
#include <vector>

static int sum(const std::vector<int> &v) {
    int total = 0;
    for (std::size_t i = 0; i < v.size(); i++)
        total += v[i];
    for (const int *p = v.data(), *end = v.data() + v.size(); p != end; ++p)
        total -= *p;
    return total;
}

int main() {
    std::vector<int> v(12, 3);
    return sum(v);
}
