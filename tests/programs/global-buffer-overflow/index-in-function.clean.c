// A loop writes a global array up to its end.
static int squares[10];

__attribute__((noinline)) static void fill(int *p, int n) {
    for (int i = 0; i < n; i++)
        p[i] = i * i;
}

int main(void) {
    fill(squares, 10);
    return squares[9] != 81;
}
