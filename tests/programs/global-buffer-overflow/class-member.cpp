// A loop over a static member array of a class runs one element too far.
class Table {
public:
    static int entries[6];
    __attribute__((noinline)) static int sum(const int *p, int n) {
        int found = 0;
        for (int i = 0; i < n; i++)
            found += p[i];  // EXPECT global-buffer-overflow read 4 block 24 after 0
        return found;
    }
};

int Table::entries[6] = {1, 2, 3, 4, 5, 6};

int main() { return Table::sum(Table::entries, 7) == 0; }
