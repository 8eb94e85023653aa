// The number of elements stands before the first cache line. The write is behind it.
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
        return new Line[count];
    } catch (const std::exception &error) {
        std::puts(error.what());
        return nullptr;
    }
}

int main(int argc, char **) {
    Line *all = lines(argc + 1);
    char *byte = all->bytes - 8; // the pointer to the virtual functions is before the bytes
    byte[56 * argc] = 2;
    delete[] all;
    return 0;
}
