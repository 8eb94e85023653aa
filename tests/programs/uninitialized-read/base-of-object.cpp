// A constructor leaves a member of the base unset, which a copy of the object reads member by member.
// RUN: options --enable uninitialized-read
#include <string>

struct Base {
    int set = 1;
    int unset;
};

struct Named : Base {
    std::string name = "a name that needs memory of its own";
    Named() {}
    Named(const Named &other) : Base(), name(other.name) {
        set = other.set;
        unset = other.unset; // EXPECT uninitialized-read read 4 block 40
    }
};

int main() {
    Named *one = new Named; // ALLOC
    Named other(*one);
    delete one;
    return other.set != 1;
}
