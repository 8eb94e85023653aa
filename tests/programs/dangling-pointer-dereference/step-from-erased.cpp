// A loop over a map steps on from the element that it has just erased: the step is taken in libstdc++.
// ASan misses this: it does not see what the C++ library reads
#include <map>

int main() {
    std::map<int, int> ages;
    for (int i = 0; i < 10; i++)
        ages[i] = i * 7; // ALLOC
    for (auto it = ages.begin(); it != ages.end(); ++it) // EXPECT dangling-pointer-dereference read 8 block 40 inside 24 in std::_Rb_tree_increment
        if (it->second == 21)
            ages.erase(it); // FREE
    return ages.size() != 9;
}
