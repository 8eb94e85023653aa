// Objects are assigned whose storage overlaps in part: a table is cut at the wrong size.
#include <cstdlib>

struct Row {
    int cells[5];
};

static void assign(char *table, std::size_t to, std::size_t from) {
    *reinterpret_cast<Row *>(table + to) = *reinterpret_cast<Row *>(table + from); // EXPECT overlapping-copy block 100 inside 16
}

int main() {
    char *table = static_cast<char *>(std::calloc(5, sizeof(Row))); // ALLOC
    assign(table, 16, 0);
    std::free(table);
    return 0;
}
