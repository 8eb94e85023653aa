// A loop writes a global array up to its end and one element further.
static int squares[10];

__attribute__((noinline)) static void fill(int *p, int n) {
    for (int i = 0; i < n; i++)
        p[i] = i * i;  // EXPECT global-buffer-overflow write 4 block 40 after 0
}

int main(void) {
    fill(squares, 11);
    return squares[9] != 81;
}
