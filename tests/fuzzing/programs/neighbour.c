/* An index from the input leaves an array, into what lies beside it: nothing crashes. */
#include <stdio.h>

struct both {
    unsigned char first[16], second[16];
};

int main(void) {
    struct both both = {{0}, {0}};
    int index = getchar(), sum = 0;
    if (index == EOF) return 1;
    if (index <= LAST) both.first[index] = 1;
    for (int i = 0; i < 16; i++) sum += both.second[i];
    return sum;
}
