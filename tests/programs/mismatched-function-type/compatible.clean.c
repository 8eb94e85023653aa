// Functions are called through pointers to compatible types of another name.
// RUN: options --enable mismatched-function-type
// RUN: cflags -std=c17
#include <stdio.h>

enum color { RED, GREEN };
enum sign { MINUS = -1, PLUS = 1 };
typedef enum { SMALL, LARGE } size;

static int of_color(enum color c) { return (int)c; }
static enum sign to_sign(int number) { return number < 0 ? MINUS : PLUS; }
static int of_unsigned(unsigned number) { return (int)number; }
static int of_colors(const enum color *c) { return (int)*c; }
static int nothing() { return 1; }
static int in_old_style(a) int a; { return a; }
static int of_constant(const int number) { return number; }
static int of_numbers(int numbers[4]) { return numbers[0]; }
static int of_long(int number) { return number; }

struct table {
    int (*numbered)(unsigned);
    int (*signed_)(int);
    int (*sized)(size);
    int (*none)(void);
    int (*old)(int);
    int (*constant)(int);
    int (*pointed)(const unsigned *);
    int (*list)(int *);
    int (*last)(int);
};

static int all(const struct table *table) {
    int numbers[4] = {1};
    unsigned one = 1;
    int sum = table->numbered(1) + table->signed_(-1) + table->sized(LARGE) + table->none() + table->old(1);
    sum += table->constant(1) + table->pointed(&one) + table->list(numbers);
    return sum + table->last(1);
}

int main(void) {
    struct table table = {(int (*)(unsigned))of_color,  (int (*)(int))to_sign, (int (*)(size))of_unsigned,
                          (int (*)(void))nothing,       (int (*)(int))in_old_style, of_constant,
                          (int (*)(const unsigned *))of_colors, of_numbers, (int (*)(int))of_long};
    printf("%d\n", all(&table));
    return 0;
}
