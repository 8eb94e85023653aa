// new[] that may fail, with the size of an element for its alignment.
#include <new>

struct Cell {
    double x, y, z;
};

int main() {
    void *p = ::operator new[](10 * sizeof(Cell), std::align_val_t(sizeof(Cell)), std::nothrow); // EXPECT bad-alignment
    ::operator delete[](p, std::align_val_t(sizeof(Cell)), std::nothrow);
    return 0;
}
