// The column of a board runs into the next row.
// RUN: options --enable index-out-of-bounds

static int board[8][8];

static int neighbours(int row, int column) {
    int count = 0;
    for (int i = -1; i <= 1; i++)
        count += board[row][column + i]; // EXPECT index-out-of-bounds
    return count;
}

int main(int argc, char **argv) {
    (void)argv;
    return neighbours(argc, 7);
}
