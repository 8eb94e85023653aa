/* In structs that are passed, returned and stored by value. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct small { char text[12]; };
struct large { int number; char text[100]; };

__attribute__((noinline)) static struct large grown(struct small from) {
    struct large large = {1, "true "};
    memcpy(large.text + 5, from.text, sizeof from.text);
    large.text[17] = 0;
    return large;
}

__attribute__((noinline)) static int run(struct large what) {
    struct large copy = what;
#ifdef CLEAN
    memset(copy.text + 5, 'x', 12);
#endif
    return system(copy.text); // expect: foreign-command
}

int main(void) {
    struct small small = {""};
    if (read(0, &small, sizeof small - 1) < 0) return 1;
    struct large all[2];
    all[1] = grown(small);
    return run(all[1]);
}
