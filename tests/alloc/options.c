/* One use of whence/alloc.h for each argument. */
#define WHENCE_ALLOC_PREFIX x
#include <stdio.h>
#include <whence/alloc.h>

static int all_options(void) {
    char *p = (char *)malloc(40);
    printf("%d", whence_alloc_get(p, WHENCE_ALLOC_READ_WRITE));
    printf("%d", whence_alloc_set(p, WHENCE_ALLOC_READ_ONLY));
    printf("%d%d", whence_alloc_get(p, WHENCE_ALLOC_READ_ONLY), whence_alloc_get(p, WHENCE_ALLOC_READ_WRITE));
    printf("%d", p[3] == 0);
    printf("%d", whence_alloc_set(p, WHENCE_ALLOC_NO_ACCESS));
    printf("%d%d", whence_alloc_get(p, WHENCE_ALLOC_NO_ACCESS), whence_alloc_get(p, WHENCE_ALLOC_READ_ONLY));
    printf("%d", whence_alloc_set(p, WHENCE_ALLOC_READ_WRITE));
    p[3] = 1;
    printf("%d%d", whence_alloc_get(p, WHENCE_ALLOC_PERMANENT), whence_alloc_get(p, WHENCE_ALLOC_TEMPORARY));
    printf("%d", whence_alloc_set(p, WHENCE_ALLOC_PERMANENT));
    printf("%d%d", whence_alloc_get(p, WHENCE_ALLOC_PERMANENT), whence_alloc_get(p, WHENCE_ALLOC_TEMPORARY));
    printf("%d", whence_alloc_set(p, WHENCE_ALLOC_TEMPORARY));
    printf("%d%d", whence_alloc_set(p + 1, WHENCE_ALLOC_PERMANENT), whence_alloc_set(NULL, WHENCE_ALLOC_PERMANENT));
    whence_alloc_set(p, WHENCE_ALLOC_NO_ACCESS);
    free(p);
    printf("%d\n", whence_alloc_get(p, WHENCE_ALLOC_READ_WRITE));
    return 0;
}

static int write_read_only(void) {
    char *p = (char *)malloc(40);
    whence_alloc_set(p, WHENCE_ALLOC_READ_ONLY);
    p[9] = 1;
    return 0;
}

static int read_closed(void) {
    volatile char *p = (char *)malloc(40);
    whence_alloc_set((char *)p, WHENCE_ALLOC_NO_ACCESS);
    return p[9];
}

static int free_permanent(void) {
    char *p = (char *)malloc(40);
    whence_alloc_set(p, WHENCE_ALLOC_PERMANENT);
    free(p);
    return 0;
}

static int resize_permanent(void) {
    char *p = (char *)malloc(40);
    whence_alloc_set(p, WHENCE_ALLOC_PERMANENT);
    return realloc(p, 50) == NULL;
}

static int dump(void) {
    char *p = (char *)malloc(41), *q = (char *)malloc(42);
    whence_alloc_set(p, WHENCE_ALLOC_PERMANENT);
    whence_alloc_set(q, WHENCE_ALLOC_READ_ONLY);
    whence_alloc_dump(0);
    whence_alloc_dump(1);
    whence_alloc_set(p, WHENCE_ALLOC_TEMPORARY);
    free(p);
    free(q);
    return 0;
}

static int breakpoint(void) {
    char *p = (char *)malloc(40);
    whence_alloc_break_at(p);
    p = (char *)realloc(p, 100);
    whence_alloc_break_at(p);
    whence_alloc_set(p, WHENCE_ALLOC_PERMANENT);
    whence_alloc_set(p, WHENCE_ALLOC_TEMPORARY);
    whence_alloc_break_at(NULL);
    free(p);
    return 0;
}

static int prefixed(void) {
    char *p = xstrdup("text"), *q = (char *)xcalloc(2, 3);
    p = (char *)xrealloc(p, 10);
    printf("%s %d\n", p, q[5]);
    xfree(p);
    xfree(q);
    q = (char *)xmalloc(7);
    xfree(q);
    return 0;
}

static char *kept;

static int closed_is_no_leak(void) {
    char **p = (char **)malloc(sizeof *p);
    *p = (char *)malloc(99);
    kept = (char *)p;
    whence_alloc_set(p, WHENCE_ALLOC_NO_ACCESS);
    return 0;
}

int main(int count, char **words) {
    static const struct {
        const char *name;
        int (*run)(void);
    } uses[] = {
        {"all", all_options},
        {"write-read-only", write_read_only},
        {"read-closed", read_closed},
        {"free-permanent", free_permanent},
        {"resize-permanent", resize_permanent},
        {"dump", dump},
        {"breakpoint", breakpoint},
        {"prefixed", prefixed},
        {"closed-is-no-leak", closed_is_no_leak},
    };
    for (size_t i = 0; count > 1 && i < sizeof uses / sizeof *uses; i++)
        if (!strcmp(words[1], uses[i].name)) return uses[i].run();
    return 2;
}
