// Objects grow over chunks, by characters, words, copies and prints, and are released in any order.
#define _GNU_SOURCE
#include <obstack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

static void *allocate(void *counter, long size) {
    ++*(int *)counter;
    return malloc((size_t)size);
}

static void release(void *counter, void *chunk) {
    --*(int *)counter;
    free(chunk);
}

int main(void) {
    struct obstack stack;
    obstack_init(&stack);
    char *name = strdup("name");
    obstack_printf(&stack, "<%s>", name);
    obstack_1grow(&stack, 0);
    char *printed = obstack_finish(&stack);
    int bad = strcmp(printed, "<name>") != 0;
    free(name);
    for (int i = 0; i < 5000; i++)
        obstack_int_grow(&stack, i);
    int *numbers = obstack_finish(&stack);
    for (int i = 0; i < 5000; i++)
        bad += numbers[i] != i;
    char *copy = obstack_copy0(&stack, "text", 4);
    bad += strlen(copy) != 4 || obstack_memory_used(&stack) < 20000;
    obstack_free(&stack, numbers);
    obstack_blank(&stack, 100);
    memset(obstack_base(&stack), 1, 100);
    obstack_free(&stack, NULL);

    int chunks = 0;
    struct obstack other;
    obstack_specify_allocation_with_arg(&other, 64, 16, allocate, release, &chunks);
    for (int i = 0; i < 100; i++) {
        char *object = obstack_alloc(&other, 10 + i);
        object[0] = object[9 + i] = (char)i;
        bad += object[0] != object[9 + i];
    }
    bad += chunks < 2;
    obstack_free(&other, NULL);
    return bad + chunks;
}
