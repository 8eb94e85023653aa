// A reference is bound to what a null pointer points to; only its address is used.
// ASan misses this: no address is accessed
// RUN: options --enable nonnull-argument
#include <cstdio>

struct Pair {
    int a, b;
};

int main(int count, char **) {
    Pair pair = {1, 2}, *none = count > 9 ? &pair : nullptr;
    Pair &sure = pair;
    int &member = sure.b;
    Pair &ref = *none; // EXPECT nonnull-argument
    std::printf("%d %d\n", &ref == none, member);
    return 0;
}
