// An index far behind an array of objects with destructors hits another block.
// ASan misses this: the bytes there may be accessed
// Memcheck misses this: the bytes there may be accessed
struct Item {
    long value = 0;
    ~Item() { value = -1; }
};

__attribute__((noinline)) static void put(Item *items, long index) {
    items[index].value = 1; // EXPECT heap-buffer-overflow write 8 block 32
}

int main() {
    Item *one = new Item[4]; // ALLOC
    Item *other = new Item[400];
    put(one, (other + 200) - one);
    delete[] other;
    delete[] one;
    return 0;
}
