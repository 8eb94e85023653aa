/* A matcher of regular expressions with ^ $ . and *, on a symbolic expression. With UNTERMINATED
 * the expression has no final zero, and the matcher reads behind it. */
#include <klee/klee.h>
#include <string.h>

#ifndef SIZE
#define SIZE 7
#endif

static int here(const char *re, const char *text);

static int star(char c, const char *re, const char *text) {
    do
        if (here(re, text))
            return 1;
    while (*text != '\0' && (*text++ == c || c == '.'));
    return 0;
}

static int here(const char *re, const char *text) {
    if (re[0] == '\0')
        return 1;
    if (re[1] == '*')
        return star(re[0], re + 2, text);
    if (re[0] == '$' && re[1] == '\0')
        return *text == '\0';
    if (*text != '\0' && (re[0] == '.' || re[0] == *text))
        return here(re + 1, text + 1);
    return 0;
}

static int match(const char *re, const char *text) {
    if (re[0] == '^')
        return here(re + 1, text);
    do
        if (here(re, text))
            return 1;
    while (*text++ != '\0');
    return 0;
}

int main(void) {
    char re[SIZE];
    klee_make_symbolic(re, sizeof re, "re");
#ifndef UNTERMINATED
    klee_assume(re[SIZE - 1] == '\0');
#endif
    match(re, "hello");
    return 0;
}
