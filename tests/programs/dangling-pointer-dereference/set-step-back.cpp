// An iterator of a set is moved back after its element was erased through its value.
// ASan misses this: it does not see what the C++ library reads
#include <set>

int main() {
    std::multiset<long> prices{5, 9, 14, 20}; // ALLOC
    auto last = prices.find(20);
    prices.erase(20); // FREE
    --last; // EXPECT dangling-pointer-dereference read 4 block 40 inside 0 in std::_Rb_tree_decrement
    return *last == 5;
}
