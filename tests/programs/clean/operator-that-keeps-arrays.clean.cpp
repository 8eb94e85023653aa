// The program's operator delete[] overwrites a block, with the number of elements at its begin, and keeps it.
// RUN: cflags -std=c++17 -fsized-deallocation
#include <cstring>
#include <malloc.h>
#include <new>

static void *kept[4];
static int count;

void operator delete[](void *block) noexcept {
    std::memset(block, 0xdd, malloc_usable_size(block));
    static_cast<long *>(block)[0] = count;
    kept[count++] = block;
}

struct Item {
    long value = 1;
    ~Item() { value = 0; }
};

int main(int argc, char **) {
    delete[] new Item[static_cast<std::size_t>(argc)];
    delete[] new (std::nothrow) Item[3];
    return count != 2 || kept[1] == nullptr;
}
