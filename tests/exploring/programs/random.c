/* Numbers of the system that are different in each run. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/random.h>

int main(void) {
    unsigned char salt[2];
    if (getrandom(salt, 1, 0) != 1 || getentropy(salt + 1, 1)) return 9;
    int byte = getchar(), status = 0;
    for (int i = 0; i < 4; i++)
        if ((byte ^ salt[i % 2]) >> i & 1) status += 1 << i;
    return status;
}
