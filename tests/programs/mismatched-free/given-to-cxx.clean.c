// A program in C gives a string to a library in C++, which deletes it, in memory of that.
// RUN: ldflags -lstdc++
#include <stdlib.h>
#include <string.h>

void *operator_new_array(size_t size) __asm__("_Znam");
void operator_delete_array(void *array) __asm__("_ZdaPv");

static char *title;

static void set_title(char *text) {
    if (title) operator_delete_array(title);
    title = text;
}

int main(void) {
    set_title(strcpy(operator_new_array(6), "whale"));
    set_title(NULL);
    return 0;
}
