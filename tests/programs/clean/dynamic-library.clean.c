// A library is loaded with dlopen, called with a callback and with blocks, and unloaded.
// RUN: ldflags -ldl -lm
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

int main(void) {
    void *libc = dlopen("libc.so.6", RTLD_NOW), *libm = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
    if (!libc || !libm)
        return 1;
    void (*sort)(void *, size_t, size_t, int (*)(const void *, const void *)) = dlsym(libc, "qsort");
    double (*root)(double) = dlsym(libm, "sqrt");
    char *(*copy)(const char *) = dlsym(libc, "strdup");
    void (*release)(void *) = dlsym(RTLD_DEFAULT, "free");
    int *a = malloc(5 * sizeof *a);
    for (int i = 0; i < 5; i++)
        a[i] = 5 - i;
    sort(a, 5, sizeof *a, compare);
    char *s = copy("text");
    int ok = a[0] == 1 && root(49) == 7 && strcmp(s, "text") == 0;
    free(s);
    release(a);
    dlclose(libm);
    dlclose(libc);
    return !ok;
}
