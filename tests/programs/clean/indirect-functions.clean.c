// Weak symbols, aliases, an ifunc, a function wrapped by the linker and one in a section of its
// own.
// RUN: ldflags -Wl,--wrap=measure
#include <stdlib.h>
#include <string.h>

extern int missing(void) __attribute__((weak));

__attribute__((used, noinline)) static int base(int x) {
    return x + 1;
}

int renamed(int x) __attribute__((alias("exported")));

int exported(int x) {
    return base(x) * 2;
}

static int chosen(int x) {
    return x * 3;
}

static int (*resolve(void))(int) {
    return chosen;
}

int selected(int x) __attribute__((ifunc("resolve")));

__attribute__((section(".text.apart"), noinline)) static int apart(char *p) {
    return (int)strlen(p);
}

int __real_measure(const char *s);

int __wrap_measure(const char *s) {
    return (int)strlen(s);
}

int measure(const char *s);

int main(void) {
    char *p = strdup("four");
    int ok = (missing ? missing() : 0) == 0 && renamed(2) == 6 && selected(4) == 12 && apart(p) == 4 && measure(p) == 4;
    free(p);
    return !ok;
}
