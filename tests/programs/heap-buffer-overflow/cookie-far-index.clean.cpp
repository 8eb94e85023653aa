// An index inside an array of objects with destructors.
struct Item {
    long value = 0;
    ~Item() { value = -1; }
};

__attribute__((noinline)) static void put(Item *items, long index) {
    items[index].value = 1;
}

int main() {
    Item *one = new Item[4];
    Item *other = new Item[400];
    put(other, 200);
    delete[] other;
    delete[] one;
    return 0;
}
