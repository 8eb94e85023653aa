// A write before the first element changes the number of elements that delete[] goes by.
// ASan misses this: it reports the write itself
// Memcheck misses this: versions before 3.22 do not look at sizes
// RUN: cflags -std=c++17 -fsized-deallocation
struct Item {
    int value = 0;
    ~Item() {}
};

int main(int count, char **) {
    Item *items = new Item[count + 2]; // ALLOC
    items[-2 * count].value = 1;
    delete[] items; // EXPECT mismatched-size block 20 inside 0
    return 0;
}
