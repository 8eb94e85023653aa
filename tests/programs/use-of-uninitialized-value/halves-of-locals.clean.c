// Half of eight bytes of locals is set elsewhere, and the other half is looked at, and was set.
// RUN: options --enable use-of-uninitialized-value --keep-going
#include <pthread.h>
#include <stdio.h>

#define APART __attribute__((noinline)) static
#define MANY 300

struct pair {
    int first, second;
};

APART void set_first(struct pair *pair, int value) { pair->first = value; }
APART void set_second(struct pair *pair, int value) { pair->second = value; }

APART int is_second_set(const struct pair *pair) { return pair->second == 7; }

static void *in_a_thread(void *argument) {
    if (is_second_set(argument))
        puts("set for the thread");
    return argument;
}

// More of them than one thread keeps in mind.
APART void many(int number) {
    struct pair pairs[MANY];
    for (int i = 0; i < MANY; i++) set_first(&pairs[i], i);
    for (int i = 0; i < MANY; i++) set_second(&pairs[i], i);
    if (is_second_set(&pairs[number])) puts("set");
}

APART void for_a_thread(int number) {
    struct pair pair;
    set_first(&pair, number);
    set_second(&pair, number);
    pthread_t thread;
    if (!pthread_create(&thread, NULL, in_a_thread, &pair)) pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
    (void)argv;
    many(argc);
    for_a_thread(argc);
    return 0;
}
