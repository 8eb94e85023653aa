// The program replaces the global operators new and delete by its own, which keep a header in front of
// every block and count; what the C++ library allocates goes through them as well.
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <vector>

static long alive = 0, arrays = 0;

static void *with_header(std::size_t size, std::size_t align) {
    void *raw = std::aligned_alloc(align, (size + 2 * align - 1) / align * align);
    if (!raw)
        throw std::bad_alloc();
    alive++;
    return static_cast<char *>(raw) + align;
}

static void drop(void *p, std::size_t align) {
    if (!p)
        return;
    alive--;
    std::free(static_cast<char *>(p) - align);
}

void *operator new(std::size_t size) { return with_header(size, 16); }
void operator delete(void *p) noexcept { drop(p, 16); }
void operator delete(void *p, std::size_t) noexcept { drop(p, 16); }
void *operator new(std::size_t size, std::align_val_t align) { return with_header(size, std::size_t(align)); }
void operator delete(void *p, std::align_val_t align) noexcept { drop(p, std::size_t(align)); }
void operator delete(void *p, std::size_t, std::align_val_t align) noexcept { drop(p, std::size_t(align)); }
void *operator new[](std::size_t size) {
    arrays++;
    return with_header(size, 32);
}
void operator delete[](void *p) noexcept { drop(p, 32); }
void operator delete[](void *p, std::size_t) noexcept { drop(p, 32); }

struct alignas(128) Wide {
    char bytes[100] = {};
};

int main() {
    {
        std::map<std::string, std::vector<int>> map;
        for (int i = 0; i < 50; i++)
            map["a key that is too long to be kept inside " + std::to_string(i)].assign(i, i);
        auto wide = std::make_unique<Wide>();
        wide->bytes[99] = 1;
        std::unique_ptr<std::string[]> strings(new std::string[7]);
        strings[6] = "text that the library allocates in a function of its own, not in a template";
        int *tried = new (std::nothrow) int(5);
        delete tried;
        std::ostringstream out;
        out << strings[6] << std::string(2000, '.');
        if (out.str().size() < 2000 || alive < 100)
            return 1;
    }
    return alive > 4 || arrays != 1; // the library may keep a buffer of its own
}
