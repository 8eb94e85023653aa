// Standard input and output are closed, then read and written.
// RUN: options --enable use-of-closed-descriptor --keep-going
// RUN: cflags -fno-inline
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    static char text[10] = "abc", line[10];
    char *more = NULL;
    size_t size = 0;
    volatile int byte = 'x';
    int number;
    fclose(stdin), fclose(stdout);
    printf("%d", 1); // EXPECT use-of-closed-descriptor
    puts("text"); // EXPECT use-of-closed-descriptor
    putchar(byte); // EXPECT use-of-closed-descriptor
    putc(byte, stdout); // EXPECT use-of-closed-descriptor
    fputs(text, stdout); // EXPECT use-of-closed-descriptor
    fwrite(text, 1, 3, stdout); // EXPECT use-of-closed-descriptor in fwrite
    fprintf(stdout, "%d", byte); // EXPECT use-of-closed-descriptor
    getchar(); // EXPECT use-of-closed-descriptor
    getc(stdin); // EXPECT use-of-closed-descriptor
    fgets(line, 10, stdin); // EXPECT use-of-closed-descriptor in fgets
    fread(line, 1, 10, stdin); // EXPECT use-of-closed-descriptor in fread
    scanf("%d", &number); // EXPECT use-of-closed-descriptor
    getline(&more, &size, stdin); // EXPECT use-of-closed-descriptor
    free(more);
    return 0;
}
