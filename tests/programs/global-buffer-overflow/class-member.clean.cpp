// A loop runs over a static member array of a class.
class Table {
public:
    static int entries[6];
    __attribute__((noinline)) static int sum(const int *p, int n) {
        int found = 0;
        for (int i = 0; i < n; i++)
            found += p[i];
        return found;
    }
};

int Table::entries[6] = {1, 2, 3, 4, 5, 6};

int main() { return Table::sum(Table::entries, 6) == 0; }
