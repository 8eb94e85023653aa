// A reference to an element of a vector is used after push_back has moved the elements.
#include <vector>

int main() {
    std::vector<int> v;
    v.reserve(4); // ALLOC
    v.assign(4, 1);
    int &first = v[0];
    v.push_back(2); // FREE
    first = 3; // EXPECT dangling-pointer-dereference write 4 block 16 inside 0
    return v[4] != 2;
}
