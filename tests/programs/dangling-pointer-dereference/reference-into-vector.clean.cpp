// A reference to an element of a vector is used after push_back into reserved room.
#include <vector>

int main() {
    std::vector<int> v;
    v.reserve(5);
    v.assign(4, 1);
    int &first = v[0];
    v.push_back(2);
    first = 3;
    return v[4] != 2;
}
