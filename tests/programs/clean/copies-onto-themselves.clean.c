// Copies of a range onto itself: assignments of a struct to itself, memcpy of equal pointers,
// and copies of nothing. Ranges that only touch. An overlapping copy by
// way of a variable.
#include <stdlib.h>
#include <string.h>

struct row {
    long cells[9];
};

static void assign(struct row *to, const struct row *from) {
    *to = *from;
}

static void shift(struct row *to, const struct row *from) {
    struct row between = *from;
    *to = between;
}

static void copy(void *to, const void *from, size_t size) {
    memcpy(to, from, size);
}

int main(void) {
    struct row *rows = calloc(3, sizeof *rows);
    for (int i = 0; i < 3; i++)
        assign(&rows[i], &rows[2 - i]);
    shift((struct row *)&rows[0].cells[2], rows);
    shift(rows, (struct row *)&rows[0].cells[2]);
    copy(rows, rows, sizeof *rows);
    copy(rows, (char *)rows + 1, 0);
    copy(NULL, NULL, 0);
    copy((char *)rows + 10, rows, 10);
    copy(rows, (char *)rows + 10, 10);
    char text[16] = "one";
    strncpy(text, text, 0);
    strncpy(text + 4, text, 4);
    strncpy(text, text + 4, 0);
    strncat(text, text, 3);
    free(rows);
    return strcmp(text, "oneone");
}
