// operator new with an alignment of 0 bytes.
#include <new>

static void *get(std::size_t size, std::size_t alignment) {
    return ::operator new(size, std::align_val_t(alignment)); // EXPECT bad-alignment
}

int main() {
    void *p = get(48, 0);
    ::operator delete(p, std::align_val_t(0));
    return 0;
}
