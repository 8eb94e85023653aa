// A function that promises to return no null pointer does, and the caller relies on it.
#include <stdlib.h>

__attribute__((returns_nonnull, noinline)) static int *find(int key) {
    static int known[2] = {4, 5};
    for (int i = 0; i < 2; i++)
        if (known[i] == key)
            return &known[i];
    return NULL;
}

int main(void) {
    int *volatile found = find(4);
    found = find(6);
    int *place = find(6);
    *place = 1; // EXPECT null-pointer-dereference write 4 address 0
    return found == NULL;
}
