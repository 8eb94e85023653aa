// iconv is told of more room than the block has.
#include <iconv.h>
#include <stdlib.h>

int main(void) {
    char text[] = "\344\366\374", *in = text, *to = malloc(6), *out = to;
    size_t left = 3, room = 6;
    iconv_t set = iconv_open("UTF-8", "LATIN1");
    size_t failed = iconv(set, &in, &left, &out, &room);
    iconv_close(set);
    free(to);
    return failed != 0;
}
