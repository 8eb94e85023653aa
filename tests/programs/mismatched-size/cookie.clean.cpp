// A write to the first element leaves the number of elements as it is.
// RUN: cflags -std=c++17 -fsized-deallocation
struct Item {
    int value = 0;
    ~Item() {}
};

int main(int count, char **) {
    Item *items = new Item[count + 2];
    items[count - 1].value = 1;
    delete[] items;
    return 0;
}
