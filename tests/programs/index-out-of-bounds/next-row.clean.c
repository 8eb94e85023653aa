// The column of a board ends with its row.
// RUN: options --enable index-out-of-bounds

static int board[8][8];

static int neighbours(int row, int column) {
    int count = 0;
    for (int i = -1; i <= 1; i++)
        count += column + i >= 0 && column + i < 8 ? board[row][column + i] : 0;
    return count;
}

int main(int argc, char **argv) {
    (void)argv;
    return neighbours(argc, 7);
}
