// The ends of many small blocks of every size up to 300 are written and compared, never passed.
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned char *p[301];
    for (int n = 0; n <= 300; n++) {
        p[n] = malloc(n);
        for (unsigned char *q = p[n], *end = p[n] + n; q != end; q++)
            *q = (unsigned char)n;
    }
    int bad = 0;
    for (int n = 1; n <= 300; n++) {
        bad += p[n][0] != (unsigned char)n || p[n][n - 1] != (unsigned char)n;
        for (int m = 1; m <= n && m <= 8; m++)
            bad += memcmp(p[n] + n - m, p[n], m) != 0;
    }
    for (int n = 300; n >= 0; n--)
        free(p[n]);
    return bad;
}
