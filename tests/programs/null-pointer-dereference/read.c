// A lookup that fails returns the null pointer, which is read.
#include <stdlib.h>

static const int table[] = {3, 5, 7};

static const int *find(int key) {
    for (int i = 0; i < 3; i++)
        if (table[i] == key)
            return &table[i];
    return NULL;
}

int main(void) {
    const int *p = find(4);
    return *p; // EXPECT null-pointer-dereference read 4 address 0
}
