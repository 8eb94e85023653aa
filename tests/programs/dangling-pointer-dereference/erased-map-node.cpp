// An element of an unordered_map is used after it has been erased through another iterator.
#include <unordered_map>

struct Value {
    int counts[8] = {};
};

int main() {
    std::unordered_map<int, Value> map;
    for (int i = 0; i < 100; i++)
        map[i].counts[7] = i; // ALLOC
    Value &value = map[42];
    map.erase(42); // FREE
    return value.counts[7] != 42; // EXPECT dangling-pointer-dereference read 4
}
