// An iterator of a set is moved back after its element was erased through its value.
#include <set>

int main() {
    std::multiset<long> prices{5, 9, 14, 20};
    auto last = prices.find(20);
    prices.erase(9);
    --last;
    return *last == 5;
}
