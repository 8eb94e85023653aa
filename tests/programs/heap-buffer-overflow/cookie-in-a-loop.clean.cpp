// A loop goes down to 0 in an array of objects with destructors.
#include <vector>

using Row = std::vector<long>;

struct Named {
    long key = 1;
    ~Named() { key = 0; }
};

__attribute__((noinline)) static long sum(const Named *all, int last) {
    long total = 0;
    for (int i = last; i >= 0; i--)
        total += all[i].key;
    return total;
}

int main() {
    Row *rows = new Row[4];
    Named *all = new Named[100];
    rows[3].push_back(sum(all, 99));
    long total = rows[3][0];
    delete[] all;
    delete[] rows;
    return total != 100;
}
