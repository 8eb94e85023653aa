// mmap(MAP_FIXED), munmap and mremap over pages of freed, live and small blocks, and of memory that no block used:
// new memory is the program's, and no block is placed there any more.
// ASan reports this: the shadow of freed blocks stays poisoned under a new mapping
// RUN: cflags -pthread
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096 };
#define READ_WRITE (PROT_READ | PROT_WRITE)
#define ANONYMOUS (MAP_PRIVATE | MAP_ANONYMOUS)

static char *map_at(void *at, size_t size, int raw) {
    if (raw)
        return (char *)syscall(SYS_mmap, at, size, READ_WRITE, ANONYMOUS | MAP_FIXED, -1, 0L);
    return mmap(at, size, READ_WRITE, ANONYMOUS | MAP_FIXED, -1, 0);
}

/* The allocator neither places blocks in the range nor touches it. */
static int is_left_alone(char *range, size_t size, size_t block) {
    memset(range, 42, size);
    int good = 1;
    for (int i = 0; i < 200; i++) {
        char *p = malloc(block);
        memset(p, 1, block < 1000 ? block : 1000);
        good &= p + block <= range || p >= range + size;
        free(p);
    }
    for (size_t i = 0; i < size; i++)
        good &= range[i] == 42;
    return good;
}

static int over_freed(size_t size, size_t from, size_t bytes, int raw) {
    void *p;
    if (posix_memalign(&p, PAGE, size))
        return 0;
    memset(p, 1, size);
    free(p);
    char *q = map_at((char *)p + from, bytes, raw);
    int good = q == (char *)p + from && q[0] == 0 && q[bytes - 1] == 0;
    good &= is_left_alone(q, bytes, size);
    char *other = mmap(NULL, bytes, READ_WRITE, ANONYMOUS, -1, 0);
    q = mremap(q, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, other);
    good &= q == other && q[bytes - 1] == 42;
    return good && munmap(q, bytes) == 0;
}

/* Many small blocks on the pages, freed in part. */
static int over_small(int raw) {
    static char *blocks[2000];
    for (int i = 0; i < 2000; i++)
        blocks[i] = malloc(24);
    for (int i = 0; i < 2000; i++)
        if (i < 500 || i >= 1500)
            free(blocks[i]);
    char *page = (char *)(((size_t)blocks[20] + PAGE - 1) & ~(size_t)(PAGE - 1));
    int good = map_at(page, 2 * PAGE, raw) == page && is_left_alone(page, 2 * PAGE, 24);
    memmove(page + 100, page + PAGE, PAGE);
    for (int i = 500; i < 1500; i++)
        free(blocks[i]);
    return good;
}

/* A live block stays one; what was mapped over it is its contents. */
static int over_live(void) {
    void *p;
    if (posix_memalign(&p, PAGE, 16 * PAGE))
        return 0;
    memset(p, 7, 16 * PAGE);
    char *q = p;
    int good = map_at(q + PAGE, PAGE, 0) == q + PAGE && q[PAGE] == 0 && q[2 * PAGE] == 7;
    memset(q, 8, 16 * PAGE);
    q = realloc(q, 32 * PAGE);
    good &= q[0] == 8 && q[PAGE] == 8 && q[16 * PAGE - 1] == 8;
    free(q);
    return good;
}

/* Nothing else comes to pages that were given back, and blocks of their size are still had. */
static int unmapped(size_t size, int raw) {
    void *p;
    if (posix_memalign(&p, PAGE, size))
        return 0;
    free(p);
    int good = (raw ? (int)syscall(SYS_munmap, p, size) : munmap(p, size)) == 0;
    for (int i = 0; i < 20; i++) {
        char *other = mmap(NULL, size, READ_WRITE, ANONYMOUS, -1, 0), *block = malloc(size);
        good &= other + size <= (char *)p || other >= (char *)p + size;
        memset(block, 1, size);
        munmap(other, size);
        free(block);
    }
    return good;
}

/* Only memory that was mapped there leads to this block. */
static char **holder;
static void hold(void) {
    void *p;
    if (posix_memalign(&p, PAGE, 2 * PAGE))
        abort();
    free(p);
    holder = (char **)map_at(p, PAGE, 0);
    holder[10] = malloc(50);
}

static void *work(void *result) {
    int good = 1;
    for (int i = 0; i < 4; i++)
        good &= over_freed((size_t)PAGE << i, 0, PAGE, i % 2);
    *(int *)result = good;
    return NULL;
}

int main(void) {
    int good = 1;
    for (int raw = 0; raw < 2; raw++) {
        good &= over_freed(2 * PAGE, 0, 2 * PAGE, raw) && over_freed(1 << 17, PAGE, PAGE, raw);
        good &= over_freed(1 << 20, 5 * PAGE, 9 * PAGE, raw) && over_freed(3 << 20, 0, 3 << 20, raw);
        good &= over_small(raw) && unmapped(2 * PAGE, raw) && unmapped(2 << 20, raw);
    }
    good &= over_live();
    hold();
    pthread_t threads[4];
    int results[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, &results[i]);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        good &= results[i];
    }
    return !good;
}
