// A double-ended queue says which part of its memory holds elements; one is read after it was taken out.
#include <stdio.h>
#include <stdlib.h>

void __sanitizer_annotate_double_ended_contiguous_container(const void *, const void *, const void *,
                                                            const void *, const void *, const void *)
    __attribute__((weak));
int __sanitizer_verify_contiguous_container(const void *, const void *, const void *) __attribute__((weak));

enum { ROOM = 32 };
static long *room, *first, *last;

static void announce(long *new_first, long *new_last) {
    if (__sanitizer_annotate_double_ended_contiguous_container)
        __sanitizer_annotate_double_ended_contiguous_container(room, room + ROOM, first, last, new_first, new_last);
    first = new_first, last = new_last;
}

int main(int argc, char **argv) {
    (void)argv;
    room = malloc(ROOM * sizeof *room);
    first = room, last = room + ROOM;
    announce(room + 8, room + 8);
    long sum = 0;
    for (int i = 0; i < 10; i++) {
        announce(first, last + 1);
        last[-1] = i;
    }
    for (int i = 0; i < 4; i++) {
        sum += *first;
        announce(first + 1, last);
    }
    announce(first - 1, last);
    *first = 7;
    sum += first[-argc];  // EXPECT use-after-poison read 8
    while (first < last) sum += last[-1], announce(first, last - 1);
    announce(room, room + ROOM);
    int whole = !__sanitizer_verify_contiguous_container ||
                __sanitizer_verify_contiguous_container(room, room + ROOM, room + ROOM);
    printf("%ld %d\n", sum, whole);
    free(room);
    return 0;
}
