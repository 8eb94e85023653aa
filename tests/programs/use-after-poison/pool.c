// A pool takes an object back and poisons it; the program writes to it afterwards.
#include <stdlib.h>

void __asan_poison_memory_region(const volatile void *, size_t) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void *, size_t) __attribute__((weak));

#define OBJECT 32
#define OBJECTS 10

static char *pool;

__attribute__((noinline)) static void create(void) {
    pool = malloc(OBJECT * OBJECTS); // ALLOC
    if (__asan_poison_memory_region)
        __asan_poison_memory_region(pool, OBJECT * OBJECTS);
}

__attribute__((noinline)) static char *take(int i) {
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region(pool + OBJECT * i, OBJECT);
    return pool + OBJECT * i;
}

__attribute__((noinline)) static void give_back(int i) {
    if (__asan_poison_memory_region)
        __asan_poison_memory_region(pool + OBJECT * i, OBJECT);
}

int main(void) {
    create();
    char *object = take(3);
    object[31] = 1;
    give_back(3);
    object[4] = 2; // EXPECT use-after-poison write 1 block 320 inside 100
    free(pool);
    return 0;
}
