// re_search is given the length of the text.
#define _GNU_SOURCE
#include <regex.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    struct re_pattern_buffer pattern = {0};
    if (re_compile_pattern("zz", 2, &pattern))
        return 1;
    char *text = malloc(8);
    memcpy(text, "abcdefgh", 8);
    regoff_t at = re_search(&pattern, text, 8, 0, 8, NULL);
    regfree(&pattern);
    free(text);
    return at != -1;
}
