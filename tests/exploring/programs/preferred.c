/* What tests of paths are to look like, and what they cannot. */
#include <stdio.h>
#include <klee/klee.h>
#include <whence/explore.h>

int main(void) {
    unsigned char text[3];
    klee_make_symbolic(text, sizeof text, "text");
    for (unsigned i = 0; i < sizeof text; i++) klee_prefer_cex(text, (text[i] >= 'f') & (text[i] <= 'h'));
    whence_prefer(text[0] == text[1]);
    whence_prefer(text[0] > text[2]);
    whence_prefer(text[1] < text[2]); /* never together with the two above */
    if (text[1] > 'x') return 2;
    if (text[2] == 'g') return 1;
    return 0;
}
