#include "common.h"
#include <stdarg.h>
#include <wchar.h>
extern __typeof__(memcpy) __whence_memcpy;
extern __typeof__(memchr) __whence_memchr;
extern __typeof__(memset) __whence_memset;
extern __typeof__(memcmp) __whence_memcmp;
extern __typeof__(strlen) __whence_strlen;
extern __typeof__(strcpy) __whence_strcpy;
extern __typeof__(strncpy) __whence_strncpy;
extern __typeof__(strcat) __whence_strcat;
extern __typeof__(strcmp) __whence_strcmp;
extern __typeof__(strncmp) __whence_strncmp;
extern __typeof__(strchr) __whence_strchr;
extern __typeof__(strdup) __whence_strdup;
extern __typeof__(strndup) __whence_strndup;
extern __typeof__(strtol) __whence_strtol;
extern __typeof__(wcstol) __whence_wcstol;
extern __typeof__(wcstod) __whence_wcstod;
extern __typeof__(snprintf) __whence_snprintf;
extern __typeof__(sprintf) __whence_sprintf;
extern __typeof__(printf) __whence_printf;
extern __typeof__(sscanf) __whence_sscanf;
extern __typeof__(read) __whence_read;
extern __typeof__(write) __whence_write;
extern __typeof__(fgets) __whence_fgets;
extern __typeof__(qsort) __whence_qsort;
extern __typeof__(wcscpy) __whence_wcscpy;
extern __typeof__(strnlen) __whence_strnlen;
extern int __isoc99_sscanf(const char *, const char *, ...) __asm__("__whence___isoc99_sscanf");
extern void *__whence___memcpy_chk(void *, const void *, size_t, size_t);
static int compare(const void *a, const void *b) { return memcmp(a, b, 1); }
static char *text(int size) { /* not terminated */
    char *p = malloc(size);
    memset(p, 'x', size);
    return p;
}
int main(int argc, char **argv) {
    char *a = text(16), *b = text(16), *t = strdup("hello"), big[100];
    int files[2];
    REQUIRE(!pipe(files) && write(files[1], "12345678901234567890\n", 21) == 21);
    memset(big, 'y', 100);
    big[99] = 0;
    if (IS("memcpy-read")) __whence_memcpy(big, a, 17);
    if (IS("memcpy-write")) __whence_memcpy(a, big, 40);
    if (IS("memcpy-huge")) __whence_memcpy(a, b, (size_t)-1);
    if (IS("memcpy-null")) __whence_memcpy(NULL, b, 3);
    if (IS("memcpy-middle")) __whence_memcpy(big, a + 10, 10);
    if (IS("memset")) __whence_memset(a, 0, 17);
    if (IS("memcmp")) (void)!__whence_memcmp(a, big, 17);
    if (IS("memchr")) (void)!__whence_memchr(a, 'z', 17);
    if (IS("strlen")) (void)!__whence_strlen(a);
    if (IS("strcpy-read")) __whence_strcpy(big, a);
    if (IS("strcpy-write")) __whence_strcpy(a, big);
    if (IS("strncpy")) __whence_strncpy(a, "short", 17);
    if (IS("strcat")) __whence_strcat(t, "!");
    if (IS("strcmp")) (void)!__whence_strcmp(a, b);
    if (IS("strchr")) (void)!__whence_strchr(a, 'z');
    if (IS("strdup")) (void)!__whence_strdup(a);
    if (IS("strtol")) {
        memset(a, '1', 16);
        (void)!__whence_strtol(a, NULL, 10);
    }
    if (IS("wcstol")) (void)!__whence_wcstol(wmemcpy((wchar_t *)a, L"1234", 4), NULL, 10);
    if (IS("wcstod")) (void)!__whence_wcstod(wmemcpy((wchar_t *)a, L"1.5e", 4), NULL);
    if (IS("snprintf")) __whence_snprintf(t, 100, "%d", 123456);
    if (IS("snprintf-argument")) __whence_snprintf(big, 100, "%s", a);
    if (IS("sprintf")) __whence_sprintf(t, "%s %d", "four", 5);
    if (IS("printf")) __whence_printf("%d %.*s\n", 1, 17, a);
    if (IS("sscanf")) __whence_sscanf("abcdefgh", "%s", t);
    if (IS("sscanf-c99")) __isoc99_sscanf("abcdefgh", "%s", t);
    if (IS("memcpy-checked")) __whence___memcpy_chk(a, big, 17, (size_t)-1);
    if (IS("read")) REQUIRE(__whence_read(files[0], a, 100) == 21);
    if (IS("write")) REQUIRE(__whence_write(files[1], a, 17) == 17);
    if (IS("fgets")) REQUIRE(__whence_fgets(a, 100, fdopen(files[0], "r")));
    if (IS("qsort")) __whence_qsort(a, 17, 1, compare);
    if (IS("wcscpy")) __whence_wcscpy((wchar_t *)a, L"1234");
    if (IS("dangling")) {
        free(t);
        (void)!__whence_strlen(t);
    }
    if (IS("good")) {
        REQUIRE(__whence_memcpy(a, b, 16) == a && __whence_memcpy(NULL, NULL, 0) == NULL);
        REQUIRE(__whence_strncmp(a, b, 16) == 0 && __whence_strncmp(a, "xy", 100) < 0);
        REQUIRE(__whence_strcmp(a, "xyz") < 0 && __whence_strcmp("xyz", a) > 0);
        REQUIRE(__whence_memchr(a, 'x', 100) == a && !__whence_memchr(a, 'z', 16));
        REQUIRE(__whence_strnlen(a, 16) == 16 && __whence_strnlen(t, 100) == 5);
        REQUIRE(__whence_strchr(a, 'x') == a);
        REQUIRE(!strncmp(__whence_strncpy(a, "0123456789abcdefgh", 16), "0123456789abcdef", 16));
        REQUIRE(!strcmp(__whence_strndup(b, 4), "xxxx"));
        REQUIRE(__whence_snprintf(NULL, 0, "%d %s", 5, "abc") == 5);
        REQUIRE(__whence_snprintf(t, 6, "%s", big) == 99 && strlen(t) == 5);
        REQUIRE(__whence_snprintf(t, 6, "%.3s|", a) == 4);
        REQUIRE(__whence_sprintf(t, "%d", 12345) == 5);
        REQUIRE(__whence_printf("%s %5.2f %n%%\n", (char *)NULL, 1.5, &argc) == 15 && argc == 13);
        REQUIRE(__whence_sscanf("ab 7", "%5s %d", t, &argc) == 2 && argc == 7);
        a[0] = '5', a[1] = ';';
        REQUIRE(__whence_strtol(a, NULL, 10) == 5);
        REQUIRE(__whence_strtol(a + 16, NULL, 1) == 0 && __whence_strtol(a + 16, NULL, 37) == 0);
        wchar_t *wide = wmemcpy(malloc(12), L"12x", 3);
        REQUIRE(__whence_wcstol(wide, NULL, 10) == 12 && __whence_wcstod(wide, NULL) == 12);
        REQUIRE(__whence_wcstol(wide + 3, NULL, -2) == 0 && __whence_wcstol(L"0x1f;", NULL, 16) == 31);
        REQUIRE(__whence_read(files[0], big, 11) == 11);
        REQUIRE(__whence_read(files[0], a, 1 << 24) == 10 && a[9] == 10); /* less than asked for */
        __whence_qsort(b, 16, 1, compare);
    }
    puts("end");
    return 0;
}
