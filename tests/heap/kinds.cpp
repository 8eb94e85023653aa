// What it allocates with new: test_heap_counts.py has the numbers.
#include <cstdint>
#include <new>
#include <vector>

struct alignas(64) Wide {
    char bytes[128];
};

static std::vector<int64_t> *kept;

[[gnu::noinline]] static Wide *wide() { return new Wide; }
[[gnu::noinline]] static char *chars() { return new char[300]; }

int main() {
    kept = new std::vector<int64_t>;
    for (int i = 0; i < 100; i++) kept->push_back(i);
    Wide *one = wide();
    char *other = chars();
    delete one;
    delete[] other;
}
