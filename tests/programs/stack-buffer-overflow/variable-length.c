// An array of variable length, made in every round of a loop, is written past its end in the last one.
#include <stdlib.h>

__attribute__((noinline)) static int sum(const int *values, int count) {
    int total = 0;
    for (int i = 0; i < count; i++)
        total += values[i];
    return total;
}

int main(void) {
    int total = 0, most = atoi("1000");
    for (int count = 0; count <= most; count++) {
        int values[count];
        for (int i = 0; i < (count < most ? count : count + 1); i++)
            values[i] = 1;  // EXPECT stack-buffer-overflow write 4 block 4000 after 0
        total += sum(values, count);
    }
    return total != 500500;
}
