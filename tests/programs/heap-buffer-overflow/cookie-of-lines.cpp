// The number of elements stands right before the first cache line, behind 56 unused bytes. The write is to these.
// Memcheck misses this: they are part of the block
// RUN: cflags -std=c++17
#include <cstdio>
#include <exception>

struct alignas(64) Line {
    char bytes[64];
    Line() { bytes[0] = 1; }
    virtual ~Line() { bytes[0] = 0; }
};

static Line *lines(int count) {
    try {
        return new Line[count]; // ALLOC
    } catch (const std::exception &error) {
        std::puts(error.what());
        return nullptr;
    }
}

int main(int argc, char **) {
    Line *all = lines(argc + 1);
    char *byte = all->bytes - 8; // the pointer to the virtual functions is before the bytes
    byte[-56 * argc] = 2; // EXPECT heap-buffer-overflow write 1 block 256 before 56
    delete[] all;
    return 0;
}
