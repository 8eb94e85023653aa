// Code without checks changes the number of elements before the first one, by which delete[] goes.
// ASan misses this: it does not compare sizes of arrays
// Memcheck misses this: versions before 3.22 do not look at sizes
// RUN: cflags -std=c++17 -fsized-deallocation
struct Item {
    int value = 0;
    ~Item() {}
};

__attribute__((no_sanitize("address"), noinline)) static void write(Item *item) { item->value = 1; }

int main(int count, char **) {
    Item *items = new Item[count + 2]; // ALLOC
    write(items - 2 * count);
    delete[] items; // EXPECT mismatched-size block 20 inside 0
    return 0;
}
