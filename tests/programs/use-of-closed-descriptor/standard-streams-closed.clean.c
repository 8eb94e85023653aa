// Standard input and output are closed after they were read and written.
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
    printf("%d", 1);
    puts("text");
    putchar(byte);
    putc(byte, stdout);
    fputs(text, stdout);
    fwrite(text, 1, 3, stdout);
    fprintf(stdout, "%d", byte);
    getchar();
    getc(stdin);
    fgets(line, 10, stdin);
    fread(line, 1, 10, stdin);
    scanf("%d", &number);
    getline(&more, &size, stdin);
    fclose(stdin), fclose(stdout);
    free(more);
    return 0;
}
