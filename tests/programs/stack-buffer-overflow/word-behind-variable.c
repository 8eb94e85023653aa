// The word behind an integer variable is written through its address.
__attribute__((noinline)) static void put(int *to, int at) {
    to[at] = 7;  // EXPECT stack-buffer-overflow write 4 block 4 after 0
}

int main(void) {
    int number = 1;
    put(&number, 1);
    return number != 1;
}
