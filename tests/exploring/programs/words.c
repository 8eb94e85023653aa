/* Input from outside: an argument, standard input, a file and a variable. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words) {
    int status = 0;
    char bytes[2] = {0};
    const char *value = getenv("MODE");
    if (count > 1 && words[1][0] == '-') {
        if (words[1][1] == 'v')
            status += 1;
        else
            status += 2;
    }
    if (read(0, bytes, 2) == 2 && bytes[0] == 'o' && bytes[1] == 'k')
        status += 4;
    if (value && value[0] == 'x')
        status += 8;
    FILE *file = fopen("settings", "r");
    if (file) {
        if (fgetc(file) == '=')
            status += 16;
        fclose(file);
    }
    return status;
}
