// An object is deleted once, and the null pointer after it.
struct Plain {
    int a, b;
};

int main() {
    auto *p = new Plain{1, 2};
    delete p;
    p = nullptr;
    delete p;
    return 0;
}
