// An array of objects with a destructor is released with delete[].
struct Handle {
    ~Handle() { closed++; }
    long number = 0;
    static int closed;
};

int Handle::closed = 0;

int main() {
    auto *h = new Handle[3];
    delete[] h;
    return Handle::closed != 3;
}
