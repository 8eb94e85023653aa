// A thread has searched a text when another one writes to it, before the place where the search ended.
// RUN: options --enable races
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define COUNT 64
#define PLACE 20

static atomic_int has_searched;

static void *search(void *given) {
    const char *text = given;
    while (*text != ';') text++;
    atomic_store_explicit(&has_searched, 1, memory_order_relaxed);
    return (void *)text;
}

int main(void) {
    char *text = calloc(COUNT, 1);
    pthread_t thread;
    if (!text) return 2;
    text[PLACE] = ';';
    if (pthread_create(&thread, 0, search, text)) return 2;
    while (!atomic_load_explicit(&has_searched, memory_order_relaxed));
    for (int i = COUNT - 1; i >= PLACE; i--) text[i] = '.'; // EXPECT data-race
    void *found;
    pthread_join(thread, &found);
    int is_there = found == text + PLACE;
    free(text);
    return !is_there;
}
