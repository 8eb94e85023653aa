// operator new with an alignment of 32 bytes.
#include <new>

static void *get(std::size_t size, std::size_t alignment) {
    return ::operator new(size, std::align_val_t(alignment));
}

int main() {
    void *p = get(48, 32);
    ::operator delete(p, std::align_val_t(32));
    return 0;
}
