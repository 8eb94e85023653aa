// An inlined function hands out a pointer to its variable; another one with a frame of its own reads it before that ends.
#include <string.h>

struct answer {
    char text[40];
};

static struct answer *found;

__attribute__((noinline)) static int first_of(const struct answer *answer) {
    return answer->text[0];
}

__attribute__((always_inline)) static inline int search(int what) {
    struct answer answer;
    memset(&answer, what, sizeof answer);
    found = &answer;
    return first_of(found);
}

int main(int argc, char **argv) {
    (void)argv;
    int first = 0;
    {
        first = search(argc);
    }
    return first_of((struct answer *)argv[0]) == first;
}
