// An array of objects with destructors is deleted.
// RUN: options --enable reachable-leak
struct Item {
    long values[3] = {};
    ~Item() { values[0] = -1; }
};

static Item *items;

__attribute__((noinline)) static void make(int n) {
    items = new Item[n];
}

int main() {
    make(5);
    int status = items[4].values[2];
    delete[] items;
    return status;
}
