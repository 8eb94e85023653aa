// Objects are assigned that lie side by side, or are the same.
#include <cstdlib>

struct Row {
    int cells[5];
};

static void assign(char *table, std::size_t to, std::size_t from) {
    *reinterpret_cast<Row *>(table + to) = *reinterpret_cast<Row *>(table + from);
}

int main() {
    char *table = static_cast<char *>(std::calloc(5, sizeof(Row)));
    assign(table, sizeof(Row), 0);
    assign(table, 0, 0);
    std::free(table);
    return 0;
}
