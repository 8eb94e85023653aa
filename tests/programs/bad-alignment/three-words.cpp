// operator new with an alignment of 24 bytes.
#include <new>

static void *get(std::size_t size, std::size_t alignment) {
    return ::operator new(size, std::align_val_t(alignment)); // EXPECT bad-alignment
}

int main() {
    void *p = get(48, 24);
    ::operator delete(p, std::align_val_t(24));
    return 0;
}
