// A reference is bound to what a pointer points to, and a method is called through it.
#include <vector>

struct Item {
    long key;
    int value;
    int get() const { return value; }
};

static int use(const Item &item) { return item.get(); }

static const Item *find(const std::vector<Item> &items, long key) {
    for (const Item &item : items)
        if (item.key == key)
            return &item;
    return nullptr;
}

int main() {
    std::vector<Item> items{{1, 10}, {2, 20}};
    return use(*find(items, 2)) + use(*find(items, 1)) != 30;
}
