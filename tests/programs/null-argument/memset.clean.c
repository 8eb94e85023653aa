// memset of the null pointer with no bytes.
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    char *p = NULL;
    memset(p, 0, argc - 1);
    return 0;
}
