// A negative index leads to the number of elements that new[] stores before the first one.
// Memcheck misses this: the number is part of the block
struct Item {
    int value = 0;
    ~Item() {}
};

int main(int count, char **) {
    Item *items = new Item[count + 2]; // ALLOC
    items[-2 * count].value = 1; // EXPECT heap-buffer-overflow write 4 block 12 before 8
    delete[] items;
    return 0;
}
