/* One bug for each argument, or "all"; with a second argument the clean twin. */
#include <stdlib.h>
#include <string.h>

static int clean;
static volatile char sink;

static volatile char *block(size_t size) { return clean ? calloc(1, size) : malloc(size); }
static void give(volatile char *p) { free((void *)p); }

static void beyond_read(void) {
    volatile char *p = block(32);
    sink = p[clean ? 31 : 32];
    give(p);
}
static void beyond_write(void) {
    volatile char *p = block(32);
    p[clean ? 31 : 35] = 1;
    give(p);
}
static void before_read(void) {
    volatile char *p = block(32);
    sink = p[clean ? 0 : -1];
    give(p);
}
static void before_write(void) {
    volatile char *p = block(32);
    p[clean ? 0 : -2] = 1;
    give(p);
}
static void beyond_large(void) {
    volatile char *p = block(1 << 20);
    p[clean ? (1 << 20) - 1 : 1 << 20] = 1;
    give(p);
}
static void freed_read(void) {
    volatile char *p = block(32);
    if (clean) sink = p[5];
    give(p);
    if (!clean) sink = p[5];
}
static void freed_write(void) {
    volatile char *p = block(32);
    if (clean) p[5] = 1;
    give(p);
    if (!clean) p[5] = 1;
}
static void moved(void) {
    volatile char *p = block(32), *q = realloc((void *)p, 64);
    (clean ? q : p)[7] = 1;
    give(q);
}
static void zero_sized(void) {
    volatile char *p = block(0);
    if (!clean) p[0] = 1;
    give(p);
}
static void wild(void) {
    volatile char *p = block(32);
    p[clean ? 0 : -9 * 1024] = 1;
    give(p);
}
static void slack(void) {
    volatile char *p = block(33);
    p[clean ? 32 : 33] = 1;
    give(p);
}
static void slack_moved(void) {
    volatile char *p = block(33);
    p[clean ? 32 : 34] = 1;
    give(realloc((void *)p, 50));
}
static void twice(void) {
    volatile char *p = block(32);
    give(p);
    if (!clean) give(p);
}
static void inside(void) {
    volatile char *p = block(32);
    give(clean ? p : p + 8);
}
static void local(void) {
    char here[32];
    give(clean ? block(32) : here);
}
static void global(void) {
    static char here[32];
    give(clean ? block(32) : here);
}
static void nothing(void) { give(clean ? NULL : (char *)0x600012345670); }
static void late_freed(void) {
    volatile char *p = block(32);
    give(p);
    if (!clean) p[9] = 1;
    for (int i = 0; i < 4000; i++) give(block(32));
}
static void leak(void) {
    volatile char *p = block(77);
    if (clean) give(p);
    p = block(1);
    give(p);
}
static void null(void) {
    volatile char *p = clean ? block(8) : NULL;
    p[4] = 1;
    give(p);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"beyond-read", beyond_read},   {"beyond-write", beyond_write}, {"before-read", before_read},
    {"before-write", before_write}, {"beyond-large", beyond_large}, {"freed-read", freed_read},
    {"freed-write", freed_write},   {"moved", moved},               {"zero-sized", zero_sized},
    {"wild", wild},                 {"slack", slack},               {"slack-moved", slack_moved},
    {"twice", twice},               {"inside", inside},             {"local", local},
    {"global", global},             {"nothing", nothing},           {"late-freed", late_freed},
    {"leak", leak},                 {"null", null},
};

int main(int count, char **words) {
    int found = 0;
    clean = count > 2;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(words[1], cases[i].name) || !strcmp(words[1], "all")) {
            cases[i].run();
            found = 1;
        }
    return found ? 0 : 2;
}
