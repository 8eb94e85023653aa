// What alloca returned is filled after exceptions have left others behind.
#include <alloca.h>
#include <cstring>
#include <stdexcept>

[[gnu::noinline]] static void fill(char *p, int size) {
    for (int i = 0; i < size; i++)
        p[i] = 'x';
}

[[gnu::noinline]] static void fails(int size) {
    char *p = static_cast<char *>(alloca(size));
    fill(p, size);
    throw std::runtime_error(std::string(p, 3));
}

[[gnu::noinline]] static void works(int size) {
    char bytes[300];
    fill(bytes, 300);
    fill(static_cast<char *>(alloca(64)), size - bytes[3] + 'x');
}

int main() {
    static void (*volatile calls[])(int) = {fails, works};
    int caught = 0;
    for (int i = 0; i < 8; i++) {
        try {
            calls[i % 2](i < 7 ? 64 : 64);
        } catch (const std::exception &) {
            caught++;
        }
    }
    return caught != 4;
}
