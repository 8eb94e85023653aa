#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>
struct alignas(256) Wide {
    char c[256];
};
static int handled;
static void handler() {
    if (++handled == 3) std::set_new_handler(nullptr);
}
int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "mismatch")) {
        int *p = new int[4];
        volatile auto q = p;
        delete q;
        return 0;
    }
    std::vector<std::string> v;
    for (int i = 0; i < 1000; i++) v.push_back(std::string(i, 'x'));
    Wide *w = new Wide;
    if (reinterpret_cast<unsigned long>(w) % 256) return 1;
    delete w;
    int caught = 0;
    std::set_new_handler(handler);
    volatile size_t huge = size_t(1) << 60;
    try {
        v.emplace_back(std::string(huge, 'x'));
    } catch (const std::bad_alloc &) {
        caught++;
    }
    if (new (std::nothrow) char[huge] != nullptr) return 2;
    try {
        throw std::runtime_error("x");
    } catch (const std::exception &e) {
        caught += e.what()[0] == 'x';
    }
    printf("%d %d\n", caught, handled);
}
