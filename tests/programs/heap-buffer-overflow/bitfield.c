// Sets a bit field that lies in the second word of a structure, in a block of one word.
#include <stdlib.h>

struct flags {
    unsigned first : 31;
    unsigned : 0;
    unsigned second : 17;
};

int main(void) {
    struct flags *f = calloc(1, 4); // ALLOC
    f->first = 5;
    f->second = 6; // EXPECT heap-buffer-overflow read * block 4 after 0
    free(f);
    return 0;
}
