// An integer variable is written through its address.
__attribute__((noinline)) static void put(int *to, int at) {
    to[at] = 7;
}

int main(void) {
    int number = 1;
    put(&number, 0);
    return number != 7;
}
