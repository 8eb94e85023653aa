// A lambda kept in a std::function writes the first byte of the block it captured.
#include <functional>

int main() {
    char *p = new char[10];
    std::function<void(int)> put = [p](int i) {
        p[i] = 'x';
    };
    put(0);
    delete[] p;
    return 0;
}
