// A loop goes down to -1 in an array of objects with destructors, and reads the number of elements.
// Memcheck misses this: the number is part of the block
#include <vector>

using Row = std::vector<long>;

struct Named {
    long key = 1;
    ~Named() { key = 0; }
};

__attribute__((noinline)) static long sum(const Named *all, int last) {
    long total = 0;
    for (int i = last; i >= -1; i--)
        total += all[i].key; // EXPECT heap-buffer-overflow read 8 block 800 before 8
    return total;
}

int main() {
    Row *rows = new Row[4];
    Named *all = new Named[100]; // ALLOC
    rows[3].push_back(sum(all, 99));
    long total = rows[3][0];
    delete[] all;
    delete[] rows;
    return total != 100;
}
