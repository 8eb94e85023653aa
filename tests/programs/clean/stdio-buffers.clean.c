// stdio with a buffer from malloc, ungetc, fseek, freopen; the buffer is freed after the stream is
// closed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *buffer = malloc(1000);
    FILE *f = tmpfile();
    if (!f || setvbuf(f, buffer, _IOFBF, 1000))
        return 1;
    for (int i = 0; i < 5000; i++)
        fprintf(f, "%d\n", i);
    rewind(f);
    ungetc('7', f);
    int first = -1, lines = 0;
    if (fscanf(f, "%d", &first) != 1)
        return 2;
    rewind(f);
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, f) > 0)
        lines++;
    fseek(f, -5, SEEK_END);
    char last[6] = {0};
    size_t n = fread(last, 1, 100 < sizeof last ? 100 : 5, f);
    fclose(f);
    free(buffer);
    free(line);
    return !(first == 70 && lines == 5000 && n == 5 && strcmp(last, "4999\n") == 0);
}
