// Code without checks changes an element of an array, whose number of elements stands before the first one.
// RUN: cflags -std=c++17 -fsized-deallocation
struct Item {
    int value = 0;
    ~Item() {}
};

__attribute__((no_sanitize("address"), noinline)) static void write(Item *item) { item->value = 1; }

int main(int count, char **) {
    Item *items = new Item[count + 2];
    write(items + 2 * count);
    delete[] items;
    return 0;
}
