// The last search finds a byte before the end of the memory.
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1000 };

int main(void) {
    char *text = malloc(SIZE);
    char *rest = text;
    size_t sum = 0;
    memset(text, 'a', SIZE);
    text[300] = text[301] = ',';
    text[999] = text[600] = ';';
    sum += strcspn(text, ";") + strspn(text, "a");
    sum += strpbrk(text + 1, ";,") - text;
    sum += strstr(text, ";a") - text;
    sum += strsep(&rest, ";") - text;
    sum += strtok_r(text + 200, ",", &rest) - text;
    sum += strspn(text + 650, "abc");
    free(text);
    return sum == 0;
}
