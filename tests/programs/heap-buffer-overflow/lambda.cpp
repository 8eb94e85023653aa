// A lambda kept in a std::function writes before the begin of the block it captured.
#include <functional>

int main() {
    char *p = new char[10]; // ALLOC
    std::function<void(int)> put = [p](int i) {
        p[i] = 'x'; // EXPECT heap-buffer-overflow write 1 block 10 before 3
    };
    put(-3);
    delete[] p;
    return 0;
}
