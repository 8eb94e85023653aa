// A destructor writes to an object that was deleted before it.
struct Counter {
    int live = 0;
};

struct Item {
    explicit Item(Counter *c) : counter(c) { counter->live++; }
    ~Item() { counter->live--; } // EXPECT dangling-pointer-dereference read 4 block 4 inside 0
    Counter *counter;
};

int main() {
    auto *counter = new Counter; // ALLOC
    auto *item = new Item(counter);
    delete counter; // FREE
    delete item;
    return 0;
}
