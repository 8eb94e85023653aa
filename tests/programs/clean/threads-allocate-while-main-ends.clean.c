// Threads that go on while the leak search runs: a block that is younger than the end of main is no leak of its, and
// a pointer that moves to a new block is not lost.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct node {
    struct node *next;
    char text[40];
};

struct table {
    size_t size;
    char **words;
};

static struct node *volatile lists[2];
static struct table *volatile table;

static void *push(void *argument) {
    struct node *volatile *list = argument;
    for (int i = 0;; i++) {
        struct node *node = calloc(1, sizeof *node);
        node->next = *list;
        *list = node;
        if (i % 64 == 63)
            for (int k = 0; k < 60; k++) {
                struct node *first = *list;
                *list = first->next;
                free(first);
            }
    }
    return NULL;
}

// The only pointers to the words move from one table to the next.
static void *move(void *argument) {
    for (;;) {
        struct table *old = table, *new = malloc(sizeof *new);
        new->size = old->size;
        new->words = malloc(new->size * sizeof *new->words);
        memcpy(new->words, old->words, new->size * sizeof *new->words);
        table = new;
        free(old->words);
        free(old);
    }
    return argument;
}

int main(void) {
    struct table *first = malloc(sizeof *first);
    first->size = 300;
    first->words = malloc(first->size * sizeof *first->words);
    for (size_t i = 0; i < first->size; i++)
        first->words[i] = strdup("word");
    table = first;
    pthread_t thread;
    pthread_create(&thread, NULL, push, (void *)&lists[0]);
    pthread_create(&thread, NULL, push, (void *)&lists[1]);
    pthread_create(&thread, NULL, move, NULL);
    usleep(20000);
    return 0;
}
