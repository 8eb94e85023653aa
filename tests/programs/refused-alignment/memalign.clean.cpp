// memalign with a power of two.
// RUN: options --enable refused-alignment
#include <cstdlib>
#include <malloc.h>

int main() {
    void *p = memalign(128, 1000);
    std::free(p);
    return p == nullptr;
}
