// A positive hash of a key is taken for an index by abs and its like.
// RUN: options --enable signed-subtraction-overflow
#include <stdio.h>
#include <stdlib.h>

static int bucket(const char *key) {
    unsigned hash = 0;
    while (*key)
        hash = hash * 31 + (unsigned char)*key++;
    return abs((int)(hash >> 1)) % 16;
}

int main(int argc, char **argv) {
    char key[] = "polygenelubricants";
    printf("%d\n", bucket(key));
    return labs((long)argc - 2) > 2 || llabs(-7LL * argc) < 7;
}
