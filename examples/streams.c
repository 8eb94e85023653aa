/* The error path closes the stream, and so does its caller. */
#include <stdio.h>

static int checked(FILE *stream)
{
    if (fgetc(stream) == EOF) {
        fclose(stream);
        return -1;
    }
    return 0;
}

int main(void)
{
    FILE *stream = fopen("/dev/null", "r");
    if (stream == NULL)
        return 1;
    if (checked(stream) < 0)
        fclose(stream); /* closed already */
    return 0;
}
