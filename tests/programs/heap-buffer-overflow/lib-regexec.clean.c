// regexec stores more matches than there is room for.
#include <regex.h>
#include <stdlib.h>

int main(void) {
    regex_t expression;
    if (regcomp(&expression, "(b)(c)", REG_EXTENDED))
        return 1;
    regmatch_t *matches = malloc(3 * sizeof *matches);
    int failed = regexec(&expression, "abcd", 3, matches, 0);
    regfree(&expression);
    free(matches);
    return failed;
}
