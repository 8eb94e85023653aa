// Allocations that cannot succeed: new throws, new(nothrow), malloc, calloc with a product that
// overflows and reallocarray return null; a new handler is called.
// ASan reports this: it ends the program where new should throw
// Memcheck reports this: it ends the program where new should throw
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>

static int handled = 0;

static void handler() {
    if (++handled == 3)
        std::set_new_handler(nullptr);
}

int main() {
    volatile std::size_t size = PTRDIFF_MAX;
    int failed = 0;
    failed += std::malloc(size) == nullptr && errno == ENOMEM;
    failed += std::calloc(size, 16) == nullptr;
    failed += std::calloc(SIZE_MAX / 8 + 2, 8) == nullptr;
    char *p = static_cast<char *>(std::malloc(10));
    p[9] = 1;
    failed += std::realloc(p, size) == nullptr && p[9] == 1;
    failed += reallocarray(p, size, 4) == nullptr && p[9] == 1;
    std::free(p);
    failed += new (std::nothrow) char[size] == nullptr;
    failed += std::aligned_alloc(64, size) == nullptr;
    void *q = &q;
    failed += posix_memalign(&q, 3, 10) == EINVAL && posix_memalign(&q, 64, size) == ENOMEM;
    std::set_new_handler(handler);
    try {
        delete[] new char[size];
    } catch (const std::bad_alloc &) {
        failed++;
    }
    return failed != 9 || handled != 3;
}
