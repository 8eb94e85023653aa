#include "common.h"
#include <malloc.h>
static char *early;
__attribute__((constructor(101))) static void before_all(void) { early = strdup("early"); }
static uint64_t state = 1;
static uint64_t below(uint64_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % n;
}
#define LIVE 5000
static struct {
    unsigned char *p;
    size_t size;
} live[LIVE];
static void check(int i) {
    for (size_t k = 0; k < live[i].size; k++) REQUIRE(live[i].p[k] == (unsigned char)(i + k));
}
static void fill(int i) {
    for (size_t k = 0; k < live[i].size; k++) live[i].p[k] = (unsigned char)(i + k);
}
int main(int argc, char **argv) {
    if (IS("early")) REQUIRE(!strcmp(early, "early"));
    if (IS("random"))
        for (int round = 0; round < 1000000; round++) {
            int i = (int)below(LIVE);
            size_t size = below(1ull << below(11));
            if (live[i].p && below(2)) {
                size_t kept = live[i].size < size ? live[i].size : size;
                check(i);
                live[i].p = realloc(live[i].p, size + 1);
                live[i].size = kept;
                check(i);
                live[i].size = size;
            } else {
                if (live[i].p) check(i);
                free(live[i].p);
                live[i].size = size;
                live[i].p = below(2) ? malloc(size) : calloc(1, size);
            }
            REQUIRE(live[i].p && (uintptr_t)live[i].p % 16 == 0);
            fill(i);
        }
    if (IS("functions")) {
        void *p;
        REQUIRE(malloc_usable_size(NULL) == 0);
        for (size_t size = 0; size < 300; size++) {
            p = malloc(size);
            REQUIRE(malloc_usable_size(p) == size);
            free(p);
        }
        REQUIRE(malloc(0) != malloc(0));
        for (size_t alignment = 8; alignment <= 1 << 20; alignment *= 2) {
            REQUIRE(!posix_memalign(&p, alignment, 100) && (uintptr_t)p % alignment == 0);
            free(p);
            p = aligned_alloc(alignment, 3 * alignment);
            REQUIRE((uintptr_t)p % alignment == 0);
            memset(p, 1, 3 * alignment);
            free(p);
            REQUIRE((uintptr_t)memalign(alignment, 1) % alignment == 0);
        }
        REQUIRE((uintptr_t)valloc(10) % 4096 == 0);
        REQUIRE(malloc_usable_size(pvalloc(4097)) == 8192);
        REQUIRE(posix_memalign(&p, 24, 1) == EINVAL && posix_memalign(&p, 4, 1) == EINVAL);
        REQUIRE(!aligned_alloc(24, 1) && errno == EINVAL);
        errno = 0;
        REQUIRE(!malloc((size_t)-1) && errno == ENOMEM);
        errno = 0;
        REQUIRE(!calloc((size_t)1 << 33, (size_t)1 << 33) && errno == ENOMEM);
        REQUIRE(!reallocarray(NULL, (size_t)1 << 33, (size_t)1 << 33));
        p = malloc(10);
        REQUIRE(!realloc(p, (size_t)1 << 60) && malloc_usable_size(p) == 10);
        REQUIRE(realloc(p, 10) != p);
        p = calloc(3, 1 << 20);
        memset(p, 1, 3 << 20);
        p = realloc(p, 30 << 20);
        for (int i = 0; i < 3 << 20; i++) REQUIRE(((char *)p)[i] == 1);
    }
    if (IS("large")) {
        char *p = malloc(3ul << 30);
        REQUIRE(p && malloc_usable_size(p) == 3ul << 30);
        p[0] = p[(3ul << 30) - 1] = 1;
        free(p);
        for (int i = 0; i < 100; i++) {
            p = malloc(6ul << 30);
            REQUIRE(p);
            p[6ul << 29] = 1;
            free(p);
        }
    }
    if (IS("addresses"))
        for (int i = 0; i < 1000; i++) {
            char *p = malloc(below(5000));
            printf("%p\n", (void *)p);
            if (below(3)) free(p);
        }
    if (IS("resident")) {
        for (int i = 0; i < 60; i++) {
            char *p = malloc(20 << 20);
            memset(p, 1, 20 << 20);
            free(p);
        }
        for (int i = 0; i < 2000; i++) {
            char *p = malloc(600000);
            memset(p, 1, 600000);
            free(p);
        }
        FILE *status = fopen("/proc/self/status", "r");
        char line[200];
        while (fgets(line, sizeof line, status))
            if (!strncmp(line, "VmRSS", 5)) printf("%s", line);
    }
    return 0;
}
