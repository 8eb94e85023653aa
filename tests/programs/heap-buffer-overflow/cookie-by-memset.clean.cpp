// memset clears objects of an aligned array, which has a header of 16 bytes.
// RUN: cflags -std=c++17
#include <cstring>
#include <new>

struct alignas(16) Vector {
    float at[4];
    Vector() { at[0] = 1; }
    ~Vector() { at[0] = 0; }
};

__attribute__((noinline)) static void clear(Vector *from, std::size_t count) {
    std::memset(static_cast<void *>(from), 0, count * sizeof *from);
}

int main(int argc, char **) {
    Vector *all = new (std::nothrow) Vector[argc + 4];
    if (!all)
        return 1;
    clear(all + argc, 4);
    delete[] all;
    return 0;
}
