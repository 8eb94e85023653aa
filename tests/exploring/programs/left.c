/* A path writes a file, which other paths find unless it lies beside symbolic files. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char **words) {
    int byte = getchar();
    FILE *none = fopen("/dev/null", "w"), *unnamed = tmpfile();
    int read_only = open(words[0], O_RDONLY);
    if (!none || !unnamed || fputs("x", unnamed) == EOF || fclose(unnamed) || fclose(none) || read_only < 0) return 9;
    if (byte != 'w') return 0;
    FILE *file = fopen(count > 1 ? words[1] : "out", "a");
    return !file || fputs("x", file) == EOF || fclose(file) ? 8 : 1;
}
