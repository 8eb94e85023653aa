// References are bound to what is there.
// RUN: options --enable nonnull-argument
#include <cstdio>

struct Pair {
    int a, b;
};

int main(int count, char **) {
    Pair pair = {1, 2}, *none = count < 9 ? &pair : nullptr;
    Pair &sure = pair;
    int &member = sure.b;
    Pair &ref = *none;
    std::printf("%d %d\n", &ref == none, member);
    return 0;
}
