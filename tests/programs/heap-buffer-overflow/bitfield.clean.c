// Sets a bit field that lies in the last word of its block.
#include <stdlib.h>

struct flags {
    unsigned first : 31;
    unsigned : 0;
    unsigned second : 17;
};

int main(void) {
    struct flags *f = calloc(1, 8);
    f->first = 5;
    f->second = 6;
    free(f);
    return 0;
}
