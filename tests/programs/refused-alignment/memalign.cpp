// memalign with an alignment in decimal.
// RUN: options --enable refused-alignment
#include <cstdlib>
#include <malloc.h>

int main() {
    void *p = memalign(100, 1000); // EXPECT refused-alignment in memalign
    std::free(p);
    return p == nullptr;
}
