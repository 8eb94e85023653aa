// A destructor writes to an object that is deleted after it.
struct Counter {
    int live = 0;
};

struct Item {
    explicit Item(Counter *c) : counter(c) { counter->live++; }
    ~Item() { counter->live--; }
    Counter *counter;
};

int main() {
    auto *counter = new Counter;
    auto *item = new Item(counter);
    delete item;
    delete counter;
    return 0;
}
