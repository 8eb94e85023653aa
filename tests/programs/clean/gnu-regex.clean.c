// Registers that the library makes, takes over and moves; subjects in two parts; searches backwards.
#define _GNU_SOURCE
#define _REGEX_RE_COMP
#include <regex.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char fastmap[256];
    struct re_pattern_buffer pattern = {0};
    pattern.fastmap = fastmap;
    re_set_syntax(RE_SYNTAX_POSIX_EXTENDED);
    if (re_compile_pattern("(b)(c)", 6, &pattern) || re_compile_fastmap(&pattern))
        return 1;
    struct re_registers own = {0};
    int bad = re_search_2(&pattern, "xab", 3, "cd", 2, 0, 5, &own, 5) != 2 || own.end[2] != 4;
    free(own.start);
    free(own.end);

    struct re_registers given;
    re_set_registers(&pattern, &given, 1, malloc(sizeof(regoff_t)), malloc(sizeof(regoff_t)));
    char *text = malloc(3);
    memcpy(text, "bca", 3);
    bad += re_search(&pattern, text, 3, 3, -3, &given) != 0 || given.start[1] != 0;
    bad += re_match(&pattern, text, 3, 0, &given) != 2 || re_match(&pattern, text, 3, 1, &given) != -1;
    bad += re_match_2(&pattern, text, 3, "bcd", 3, 3, NULL, 6) != 2;
    free(given.start);
    free(given.end);
    pattern.fastmap = NULL;
    regfree(&pattern);

    free(text);
    bad += re_comp("a+") != NULL || re_exec("xaa") != 1 || re_exec("xbb") != 0;
    return bad;
}
