// A structure with a flexible array member is used to its last element.
#include <stdlib.h>

struct packet {
    int length;
    int data[];
};

int main(void) {
    int n = 6;
    struct packet *p = malloc(sizeof *p + n * sizeof p->data[0]);
    p->length = n;
    for (int i = 0; i < p->length; i++)
        p->data[i] = i;
    free(p);
    return 0;
}
