// A pointer in memory of the function is read before it is written: what follows the use stays in the program.
#include <alloca.h>
#include <stdio.h>

static void fill(int **data, int *value, int really) {
    if (really)
        *data = value;
}

__attribute__((noinline)) static int use(int *value) {
    int **data = alloca(sizeof(int *));
    fill(data, value, 0);
    return **data; // EXPECT null-pointer-dereference read 4 address 0
}

int main(void) {
    int value = 3;
    puts("start");
    return use(&value) != 3;
}
