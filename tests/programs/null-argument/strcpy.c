// strcpy to a field that was never set.
#include <stdlib.h>
#include <string.h>

struct user {
    char *name;
};

int main(void) {
    struct user u = {NULL};
    strcpy(u.name, "name"); // EXPECT null-argument address 0 in strcpy
    free(u.name);
    return 0;
}
