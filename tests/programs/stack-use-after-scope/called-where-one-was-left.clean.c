// A function is called by the instruction that has called one which longjmp left, and uses its memory.
// RUN: options --keep-going
#include <setjmp.h>
#include <stdint.h>

static jmp_buf left;
static volatile uintptr_t place;
static char *volatile kept;
static volatile long sum;

__attribute__((noinline)) static void keep(char *pointer) { kept = pointer; }

/* Its variable may outlive the call, so it lies below a gap; longjmp leaves it there. */
__attribute__((noinline)) static void jumps(int number) {
    char text[64];
    text[0] = (char)number;
    keep(text);
    if (text[0] == (char)number)
        longjmp(left, 1);
}

/* The place of its variable is looked at, so there is no gap; what returns closes the variable. */
__attribute__((noinline)) static void closes(int number) {
    char text[64];
    place = (uintptr_t)text;
    for (int i = 0; i < 64; i++)
        text[i] = (char)(i + number);
    keep(text);
    sum += kept[number & 63];
}

__attribute__((noinline)) static void add(long *to, int number) {
    *to += number;
    if (number == 77)
        keep((char *)to);
}

/* A variable without zones, where the other one was, is read as one of two. */
__attribute__((noinline)) static void reads(long own, int number) {
    long other = 0;
    for (int i = 0; i < 4; i++) {
        long *at = &own;
        if ((i + number) & 1) {
            add(&other, number);
            at = &other;
        }
        sum += *(volatile long *)at;
        own += sum;
    }
}

__attribute__((noinline)) static void deep(int depth, int number) {
    volatile char pad[24];
    pad[depth & 15] = 1;
    closes(number);
    reads(number, number);
    if (depth)
        deep(depth - 1, number);
    sum += pad[depth & 15];
}

__attribute__((noinline)) static void leaves(int number) {
    char text[64];
    text[1] = (char)number;
    keep(text);
    sum += kept[1];
}

/* Called by the instruction that has called the function that was left. */
__attribute__((noinline)) static void works(int number) {
    deep(20, number);
    leaves(number);
}

__attribute__((noinline)) static void run(void (*function)(int), int number) {
    function(number);
    sum++;
}

int main(void) {
    for (volatile int i = 0; i < 3; i++) {
        void (*volatile function)(int) = i == 0 ? jumps : works;
        if (!setjmp(left))
            run(function, i);
    }
    return sum == 0;
}
