/* An index from the input leaves an array, into what lies beside it: nothing crashes. */
#include <stdio.h>

int main(void) {
    volatile unsigned char first[16] = {0}, second[16] = {0};
    int index = getchar(), sum = 0;
    if (index == EOF) return 1;
    if (index <= LAST) first[index] = 1;
    for (int i = 0; i < 16; i++) sum += first[i] + second[i];
    return sum;
}
