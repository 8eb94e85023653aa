// strcpy to a field that was set.
#include <stdlib.h>
#include <string.h>

struct user {
    char *name;
};

int main(void) {
    struct user u = {NULL};
    u.name = malloc(5);
    strcpy(u.name, "name");
    free(u.name);
    return 0;
}
