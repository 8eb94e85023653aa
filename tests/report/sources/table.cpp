#include <vector>

namespace app {
template <class Key, class Value> struct Table {
    std::vector<Value> items;
    Value at(int i) const { return items[i]; }
};
}  // namespace app

int worker(const app::Table<int, long> &table, int i) { return table.at(i); }
