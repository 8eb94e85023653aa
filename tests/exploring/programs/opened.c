/* Whether a file is there depends on its name, which the path has one of. */
#include <stdio.h>

int main(int count, char **words) {
    if (count < 2 || words[1][0] == '-')
        return 1;
    return fopen(words[1], "r") ? 2 : 3;
}
