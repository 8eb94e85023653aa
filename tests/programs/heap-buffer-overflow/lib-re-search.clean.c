// re_search has room for all registers.
#define _GNU_SOURCE
#include <regex.h>
#include <stdlib.h>

int main(void) {
    struct re_pattern_buffer pattern = {0};
    re_set_syntax(RE_SYNTAX_POSIX_EXTENDED);
    if (re_compile_pattern("(b)(c)", 6, &pattern))
        return 1;
    struct re_registers found = {3, malloc(3 * sizeof(regoff_t)), malloc(3 * sizeof(regoff_t))};
    pattern.regs_allocated = REGS_FIXED;
    regoff_t at = re_search(&pattern, "abcd", 4, 0, 4, &found);
    regfree(&pattern);
    free(found.start);
    free(found.end);
    return at != 1;
}
