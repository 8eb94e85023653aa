// Members beside each other are set and read together; all were set.
// RUN: options --enable use-of-uninitialized-value --keep-going
#include <stdio.h>
#include <stdlib.h>

struct row {
    long value;
    unsigned char kind, key;
    short rank;
    int next;
    double weight;
    char name[40];
    long last;
};

__attribute__((noinline)) static void set_some(struct row *row) {
    row->value = 1;
    row->kind = 2;
    row->next = 3;
    row->weight = 4;
}

__attribute__((noinline)) static void set_rest(struct row *row) {
    row->key = 5;
    row->rank = 6;
    row->last = 7;
    for (unsigned i = 0; i < sizeof row->name; i++) row->name[i] = 'a';
}

__attribute__((noinline)) static void ask_value(const struct row *row) {
    if (row->value + row->kind + row->next > 100)
        puts("much");
}

__attribute__((noinline)) static void ask_key(const struct row *row) {
    if (row->value + row->kind + row->key > 100)
        puts("much");
}

__attribute__((noinline)) static void ask_rank(const struct row *row) {
    if (row->kind + row->rank + row->next > 100)
        puts("much");
}

__attribute__((noinline)) static void ask_last(const struct row *row) {
    if (row->value + row->weight + row->last > 100)
        puts("much");
}

__attribute__((noinline)) static void ask_name(const struct row *row) {
    if (row->value + row->name[7] > 100)
        puts("much");
}

__attribute__((noinline)) static void ask(const struct row *row) {
    ask_value(row);
    ask_key(row);
    ask_rank(row);
    ask_last(row);
    ask_name(row);
}

int main(void) {
    struct row *row = malloc(sizeof *row);
    set_some(row);
    set_rest(row);
    ask(row); // no finding: all is set, or was reported
    free(row);
    char *memory = malloc(sizeof *row + 8);
    struct row *volatile apart = (struct row *)(memory + 3);
    set_some(apart);
    set_rest(apart);
    ask(apart); // no finding, though it is not aligned
    free(memory);
    return 0;
}
