// A walk over a list stops at its last node.
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

int main(void) {
    struct node c = {NULL, 3}, b = {&c, 2}, a = {&b, 1};
    int sum = 0;
    struct node *n = &a;
    for (int i = 0; i < 3; i++) {
        sum += n->value;
        n = n->next;
    }
    return sum != 6;
}
