// Functions whose variables may outlive the call are left by longjmp, again and again, and others use the memory.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf back;
static void *kept;

__attribute__((noinline)) static void leave(int deeper) {
    char text[48];
    kept = text;
    memset(text, deeper, sizeof text);
    if (deeper) leave(deeper - 1);
    longjmp(back, 1);
}

static int compare(const void *a, const void *b) {
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

__attribute__((noinline)) static int sorted(int at) {
    int values[200];
    kept = values;
    for (int i = 0; i < 200; i++) values[i] = i * 7919 % 211;
    qsort(values, 200, sizeof *values, compare); // sorts a copy in a frame of its own
    return values[at];
}

int main(void) {
    long sum = 0;
    for (int i = 0; i < 200; i++) {
        char text[300];
        if (!setjmp(back)) leave(i % 30);
        sum += sorted(i);
        snprintf(text, sizeof text, "%0250d", i);
        sum += (long)strlen(text);
    }
    kept = NULL;
    return sum == 0;
}
