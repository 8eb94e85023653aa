// An index of an array whose number of elements new[] stores before the first one.
struct Item {
    int value = 0;
    ~Item() {}
};

int main(int count, char **) {
    Item *items = new Item[count + 2];
    items[2 * count].value = 1;
    delete[] items;
    return 0;
}
