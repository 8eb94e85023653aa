// A pointer in memory of the function is read after it is written.
#include <alloca.h>
#include <stdio.h>

static void fill(int **data, int *value, int really) {
    if (really)
        *data = value;
}

__attribute__((noinline)) static int use(int *value) {
    int **data = alloca(sizeof(int *));
    fill(data, value, 1);
    return **data;
}

int main(void) {
    int value = 3;
    puts("start");
    return use(&value) != 3;
}
