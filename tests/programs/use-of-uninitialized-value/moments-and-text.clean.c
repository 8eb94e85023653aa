// All is written but the seconds of a moment that stays.
// RUN: options --enable use-of-uninitialized-value --keep-going
#include <fcntl.h>
#include <iconv.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    int file = open("/dev/null", O_RDWR);
    struct timespec *moments = malloc(2 * sizeof *moments);
    moments[0].tv_nsec = UTIME_OMIT, moments[1].tv_sec = 1, moments[1].tv_nsec = 0;
    futimens(file, moments);

    char *text = malloc(4), out[16];
    text[0] = 'a', text[1] = 'b', text[2] = 'c', text[3] = 'd';
    char *from = text, *to = out;
    size_t left = 4, free_bytes = sizeof out;
    iconv_t set = iconv_open("UTF-8", "ASCII");
    if (set == (iconv_t)-1) return 2;
    iconv(set, &from, &left, &to, &free_bytes);
    iconv_close(set);
    free(moments), free(text);
    return 0;
}
