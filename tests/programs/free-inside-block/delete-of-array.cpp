// An array of objects with a destructor is released with delete, which frees the address after the
// array's count.
struct Handle {
    ~Handle() { closed++; }
    long number = 0;
    static int closed;
};

int Handle::closed = 0;

int main() {
    auto *h = new Handle[3]; // ALLOC
    delete h; // EXPECT free-inside-block block 32 inside 8
    return Handle::closed != 3;
}
