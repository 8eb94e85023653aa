// Texts of more than a few hundred bytes, without an end, in which a search finds nothing.
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1000 };

int main(void) {
    char *text = malloc(SIZE); // ALLOC
    char *rest = text;
    size_t sum = 0;
    memset(text, 'a', SIZE);
    text[300] = text[301] = ',';
    text[600] = ';';
    sum += strcspn(text, ";") + strspn(text, "a");
    sum += strpbrk(text + 1, ";,") - text;
    sum += strstr(text, ";a") - text;
    sum += strsep(&rest, ";") - text;
    sum += strtok_r(text + 200, ",", &rest) - text;
    sum += strspn(text + 650, "abc"); // EXPECT heap-buffer-overflow read 351 block 1000 inside 650 in strspn
    free(text);
    return sum == 0;
}
