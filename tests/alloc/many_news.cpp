// Operators new in their forms, and containers: the address of each block goes to standard output.
#include <cstdio>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct alignas(64) Wide {
    char bytes[72];
};

int main() {
    std::map<int, std::string> names;
    for (int i = 0; i < 50; i++) names[i * 7 % 50] = std::string(i, 'x');
    for (auto &[number, name] : names) std::printf("%d %p %p\n", number, (void *)&name, (void *)name.data());
    std::vector<Wide> wide(3);
    std::printf("%p\n", (void *)wide.data());
    wide.resize(100);
    std::printf("%p\n", (void *)wide.data());
    auto array = std::make_unique<double[]>(1000);
    std::printf("%p\n", (void *)array.get());
    Wide *one = new (std::nothrow) Wide;
    std::printf("%p\n", (void *)one);
    delete one;
    Wide *again = new Wide;
    std::printf("%p\n", (void *)again);
    delete again;
    void *odd = ::operator new(40, std::align_val_t(64));
    std::printf("%p\n", odd);
    ::operator delete(odd, std::align_val_t(64));
}
