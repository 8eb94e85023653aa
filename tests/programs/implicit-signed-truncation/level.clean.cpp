// A signed bit-field does not have the value.
// RUN: options --enable implicit-signed-truncation
struct Cell {
    int level : 4;
    int kind : 4;
};

static void raise(Cell &cell, int by) {
    int level = cell.level + by;
    cell.level = level > 7 ? 7 : level;
}

int main(int argc, char **) {
    Cell cell{5, 1};
    raise(cell, 4 + argc);
    return cell.level == 0;
}
