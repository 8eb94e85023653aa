// re_search stores more registers than the caller has room for.
#define _GNU_SOURCE
#include <regex.h>
#include <stdlib.h>

int main(void) {
    struct re_pattern_buffer pattern = {0};
    re_set_syntax(RE_SYNTAX_POSIX_EXTENDED);
    if (re_compile_pattern("(b)(c)", 6, &pattern))
        return 1;
    struct re_registers found = {3, malloc(2 * sizeof(regoff_t)), malloc(3 * sizeof(regoff_t))}; // ALLOC
    pattern.regs_allocated = REGS_FIXED;
    regoff_t at = re_search(&pattern, "abcd", 4, 0, 4, &found); // EXPECT heap-buffer-overflow write 12 block 8 after 0 in re_search
    regfree(&pattern);
    free(found.start);
    free(found.end);
    return at != 1;
}
