// An array of objects with destructors is never deleted: its pointer lies behind the count that
// the compiler puts in front.
// ASan misses this: it says nothing of blocks that are still reachable
// RUN: options --enable reachable-leak
struct Item {
    long values[3] = {};
    ~Item() { values[0] = -1; }
};

static Item *items;

__attribute__((noinline)) static void make(int n) {
    items = new Item[n]; // EXPECT reachable-leak block 128 count 1 bytes 128
}

int main() {
    make(5);
    return items[4].values[2];
}
