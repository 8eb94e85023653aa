// Two threads fill the halves of an array, of which one reaches into the other.
// RUN: options --enable races
#include <pthread.h>

#define COUNT 1000

static int numbers[COUNT];

struct part {
    int from, to;
};

static void *fill(void *given) {
    struct part *part = given;
    for (int i = part->from; i < part->to; i++) numbers[i] = i; // EXPECT data-race
    return 0;
}

int main(void) {
    struct part parts[] = {{0, COUNT / 2 + 1}, {COUNT / 2, COUNT}};
    pthread_t first, second;
    if (pthread_create(&first, 0, fill, &parts[0])) return 2;
    if (pthread_create(&second, 0, fill, &parts[1])) return 2;
    pthread_join(first, 0);
    pthread_join(second, 0);
    return numbers[COUNT - 1] != COUNT - 1;
}
