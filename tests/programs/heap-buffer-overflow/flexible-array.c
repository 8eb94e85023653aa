// A structure with a flexible array member is allocated without room for the last element.
#include <stdlib.h>

struct packet {
    int length;
    int data[];
};

int main(void) {
    int n = 6;
    struct packet *p = malloc(sizeof *p + (n - 1) * sizeof p->data[0]); // ALLOC
    p->length = n;
    for (int i = 0; i < p->length; i++)
        p->data[i] = i; // EXPECT heap-buffer-overflow write 4 block 24 after 0
    free(p);
    return 0;
}
