// regexec stores more matches than there is room for.
#include <regex.h>
#include <stdlib.h>

int main(void) {
    regex_t expression;
    if (regcomp(&expression, "(b)(c)", REG_EXTENDED))
        return 1;
    regmatch_t *matches = malloc(2 * sizeof *matches); // ALLOC
    int failed = regexec(&expression, "abcd", 3, matches, 0); // EXPECT heap-buffer-overflow write 24 block 16 after 0 in regexec
    regfree(&expression);
    free(matches);
    return failed;
}
