// memset of the null pointer.
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    char *p = NULL;
    memset(p, 0, 10 * argc); // EXPECT null-argument address 0 in memset
    return 0;
}
