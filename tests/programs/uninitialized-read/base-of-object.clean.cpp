// A constructor sets all members of the base, and a copy of the object reads them.
// RUN: options --enable uninitialized-read
#include <string>

struct Base {
    int set = 1;
    int unset = 2;
};

struct Named : Base {
    std::string name = "a name that needs memory of its own";
    Named() {}
    Named(const Named &other) : Base(), name(other.name) {
        set = other.set;
        unset = other.unset;
    }
};

int main() {
    Named *one = new Named;
    Named other(*one);
    delete one;
    return other.set != 1;
}
