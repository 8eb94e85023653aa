// The list is tested first.
// RUN: options --enable null-pointer-offset
struct Item {
    int key, value;
};

static const Item *item(const Item *items, int index) {
    return items ? &items[index] : items;
}

int main(int argc, char **argv) {
    Item one = {1, 2};
    const Item *found = item(argv[argc] ? &one : nullptr, argc);
    return found == &one;
}
