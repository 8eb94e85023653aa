// re_search is given a length beyond the end of the text.
#define _GNU_SOURCE
#include <regex.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    struct re_pattern_buffer pattern = {0};
    if (re_compile_pattern("zz", 2, &pattern))
        return 1;
    char *text = malloc(8); // ALLOC
    memcpy(text, "abcdefgh", 8);
    regoff_t at = re_search(&pattern, text, 12, 0, 12, NULL); // EXPECT heap-buffer-overflow read 12 block 8 after 0 in re_search
    regfree(&pattern);
    free(text);
    return at != -1;
}
