// A struct of two members is passed in one register, and the member that was never set is multiplied.
// RUN: options --enable use-of-uninitialized-value
#include <cstdio>

struct Pair {
    explicit Pair(int first) : first(first) {}
    int first;
    int second;
};

[[gnu::noinline]] static long scaled(Pair pair) { return 10000L * pair.second; }

int main(int argc, char **) {
    Pair pair(argc);
    Pair *volatile kept = &pair;
    if (scaled(*kept) > 100000) // EXPECT use-of-uninitialized-value
        std::puts("large");
    return 0;
}
