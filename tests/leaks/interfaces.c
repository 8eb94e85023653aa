/* Asks the interfaces of AddressSanitizer and Valgrind; prints the answers. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void __asan_poison_memory_region(const volatile void *, size_t) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void *, size_t) __attribute__((weak));
int __asan_address_is_poisoned(const volatile void *) __attribute__((weak));
void *__asan_region_is_poisoned(void *, size_t) __attribute__((weak));
void __asan_describe_address(void *) __attribute__((weak));
const char *__asan_locate_address(void *, char *, size_t, void **, size_t *) __attribute__((weak));
size_t __asan_get_alloc_stack(void *, void **, size_t, int *) __attribute__((weak));
size_t __asan_get_free_stack(void *, void **, size_t, int *) __attribute__((weak));

/* As in valgrind/valgrind.h, which is not on every machine. */
static unsigned long request(unsigned long number, unsigned long a, unsigned long b,
                             unsigned long c, unsigned long d) {
    volatile unsigned long _zzq_args[6] = {number, a, b, c, d, 0};
    unsigned long result = 4711;
    __asm__ volatile("rolq $3,  %%rdi ; rolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx,%%rbx"
                     : "=d"(result)
                     : "a"(&_zzq_args[0]), "0"(result)
                     : "cc", "memory");
    return result;
}

static int print(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = (int)request(0x1403, (unsigned long)format, (unsigned long)&arguments, 0, 0);
    va_end(arguments);
    return length;
}

#define MEMCHECK ('M' << 24 | 'C' << 16)
#define A(p) ((unsigned long)(p))

static char *volatile block;
static char in_image[64];

/* The offsets of a range that are closed, as runs. */
static void show(const char *begin, int size) {
    for (int i = 0; i < size; i++)
        putchar(__asan_address_is_poisoned(begin + i) ? 'x' : '.');
    putchar('\n');
}

static void asan(void) {
    char *p = malloc(30);
    block = p;
    __asan_poison_memory_region(p + 3, 20); /* ends in the middle of a granule: the rest stays open */
    show(p, 32);
    __asan_poison_memory_region(p + 16, 1000); /* no further than the block */
    show(p, 32);
    __asan_unpoison_memory_region(p + 16, 9);
    show(p, 32);
    __asan_unpoison_memory_region(p, 1000);
    show(p, 32);
    printf("%d\n", (int)((char *)__asan_region_is_poisoned(p, 40) - p));
    printf("%d\n", __asan_region_is_poisoned(p, 30) == NULL);
    __asan_poison_memory_region(in_image + 8, 16);
    show(in_image, 32);
    __asan_unpoison_memory_region(in_image, 64);
    char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    __asan_poison_memory_region(page, 4096);
    printf("%d\n", __asan_address_is_poisoned(page + 4000));
    munmap(page, 4096);
    printf("%d\n", __asan_address_is_poisoned(page + 4000));
    printf("%d %d\n", __asan_address_is_poisoned(NULL), __asan_address_is_poisoned(&page));
    void *begin = NULL, *trace[10];
    size_t size = 0;
    char name[20] = "?";
    int thread = -1;
    const char *what = __asan_locate_address(p + 7, name, sizeof name, &begin, &size);
    printf("%s '%s' %d %zu\n", what, name, begin == p, size);
    printf("%s", __asan_locate_address(in_image, NULL, 0, NULL, NULL));
    what = __asan_locate_address(in_image + 3, name, sizeof name, &begin, &size);
    printf(" %s '%s'", what, name);
    printf(" %d %zu", begin == in_image, size);
    what = __asan_locate_address(in_image, name, 4, NULL, NULL);
    printf(" %s '%s'\n", what, name);
    what = __asan_locate_address(page, name, sizeof name, NULL, NULL);
    printf("%s '%s'\n", what, name);
    printf("%d %d", __asan_get_alloc_stack(p, trace, 10, &thread) > 0, thread);
    printf(" %zu", __asan_get_free_stack(p, trace, 10, &thread));
    free(p);
    printf(" %d\n", __asan_get_free_stack(p, trace, 10, &thread) > 0);
    __asan_poison_memory_region(p, 30); /* not the program's any more */
    __asan_describe_address(p);
}

static unsigned long add(unsigned long thread, unsigned long a, unsigned long b) {
    return 1000 * thread + a + b;
}

static void pools(void) {
    enum { CREATE = 0x1303, DESTROY, ALLOC, FREE, TRIM, MOVE, CHANGE, EXISTS, RESIZE };
    enum { POOL = 100, OTHER = 200 };
    char *p = malloc(64);
    block = p;
    request(MEMCHECK, A(p), 64, 0, 0);
    request(CREATE, POOL, 0, 0, 0);
    printf("%lu\n", request(EXISTS, POOL, 0, 0, 0));
    request(ALLOC, POOL, A(p + 8), 8, 0);
    request(ALLOC, POOL, A(p + 32), 24, 0);
    show(p, 64);
    printf("%lu\n", request(EXISTS, POOL, 0, 0, 0));
    request(CHANGE, POOL, A(p + 8), A(p), 16);
    show(p, 64);
    request(TRIM, POOL, A(p + 32), 16, 0);
    show(p, 64);
    request(MOVE, POOL, OTHER, 0, 0);
    request(FREE, POOL, A(p + 32), 0, 0); /* in another pool now */
    show(p, 64);
    request(DESTROY, OTHER, 0, 0, 0);
    printf("%lu\n", request(EXISTS, OTHER, 0, 0, 0));
    show(p, 64);
    request(0x1301, A(p + 16), 16, 8, 0); /* malloc-like, with red zones */
    show(p, 64);
    request(RESIZE, A(p + 16), 16, 32, 8);
    show(p, 64);
    request(0x1302, A(p + 16), 8, 0, 0);
    show(p, 64);
    printf("%lu\n", request(MEMCHECK + 2, A(p), 64, 0, 0) == -1ul);
    show(p, 64);
    free(p);
}

/* Of memory that may not be accessed, for whatever reason, no bits are copied. */
static void bits(void) {
    enum { GET = MEMCHECK + 8, SET };
    unsigned char bits[8] = {0};
    char *p = malloc(8), *freed = malloc(8);
    char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    block = p;
    free(freed);
    munmap(pages, 8192);
    char *bad[] = {NULL, (char *)0x2000, (char *)(1ul << 63), freed, p + 1, pages, pages - 4};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        printf("%lu %lu %lu %lu\n", request(GET, A(bad[i]), A(bits), 8, 0),
               request(SET, A(bad[i]), A(bits), 8, 0), request(GET, A(p), A(bad[i]), 8, 0),
               request(SET, A(p), A(bad[i]), 8, 0));
    printf("%lu %lu %lu\n", request(GET, A(p), A(bits), 8, 0), request(SET, A(p), A(bits), 8, 0),
           request(GET, 0, 0, 0, 0));
    printf("%d\n", request(MEMCHECK + 4, A(pages), 8, 0, 0) == A(pages));
    request(MEMCHECK + 1, A(pages) + 1, 9, 0, 0);
    request(MEMCHECK + 2, A(pages) + 1, 9, 0, 0);
    request(MEMCHECK + 11, A(pages) + 1, 9000, 0, 0);
    request(MEMCHECK + 2, 1, 9, 0, 0);
}

static void leaks(void) {
    unsigned long lost = 9, dubious = 9, reachable = 9, suppressed = 9;
    char *volatile p = malloc(100);
    block = malloc(10);
    p = NULL;
    (void)p;
    request(MEMCHECK + 6, 0, 0, 0, 0);
    request(MEMCHECK + 7, A(&lost), A(&dubious), A(&reachable), A(&suppressed));
    printf("%lu %lu %lu %lu\n", lost, dubious, reachable, suppressed);
    request(MEMCHECK + 12, A(&lost), A(&dubious), A(&reachable), A(&suppressed));
    printf("%lu %lu %lu %lu\n", lost, dubious, reachable, suppressed);
    printf("%lu\n", request(0x1201, 0, 0, 0, 0));
    request(0x1801, 1, 0, 0, 0);
    block[10] = 1; /* silenced */
    request(0x1801, -1ul, 0, 0, 0);
    printf("%lu\n", request(0x1201, 0, 0, 0, 0));
    printf("%lu\n", request(MEMCHECK + 4, A(block), 10, 0, 0));
    fflush(stdout);
    block[10] = 2;
}

static void descriptions(void) {
    enum { CREATE = MEMCHECK + 10, DISCARD = MEMCHECK + 3 };
    block = malloc(100);
    printf("%ld\n", (long)request(CREATE, A(block + 90), 0, A("nothing"), 0));
    printf("%ld\n", (long)request(CREATE, A(block + 90), 30, A("some records"), 0));
    printf("%ld\n", (long)request(CREATE, A(block + 100), 8, A("the last record"), 0));
    block[104] = 1;
    printf("%ld %ld\n", (long)request(DISCARD, 0, 1, 0, 0), (long)request(DISCARD, 0, 1, 0, 0));
    block[104] = 2;
    printf("%ld\n", (long)request(DISCARD, 0, 0, 0, 0));
    block[104] = 3;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        printf("%lu %lu %d\n", request(0x1001, 0, 0, 0, 0), request(0x9999, 0, 0, 0, 0), print("x"));
        return 0;
    }
    if (!strcmp(argv[1], "asan")) asan();
    if (!strcmp(argv[1], "pools")) pools();
    if (!strcmp(argv[1], "bits")) bits();
    if (!strcmp(argv[1], "descriptions")) descriptions();
    if (!strcmp(argv[1], "leaks")) leaks();
    if (!strcmp(argv[1], "calls")) {
        printf("%lu %lu\n", request(0x1001, 0, 0, 0, 0), request(0x9999, 0, 0, 0, 0));
        printf("%lu\n", request(0x1103, A(add), 20, 3, 0));
        fflush(stdout);
        printf("%d\n", print("%s and %d\n", "text", 17));
    }
    return 0;
}
