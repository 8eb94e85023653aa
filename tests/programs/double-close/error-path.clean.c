// The error path closes nothing.
// RUN: options --enable double-close
#include <fcntl.h>
#include <unistd.h>

static int copy(const char *from, const char *to) {
    char text[16];
    int input = open(from, O_RDONLY);
    if (input < 0) return -1;
    ssize_t size = read(input, text, sizeof text);
    close(input);
    int output = open(to, O_WRONLY);
    if (output < 0) goto failed;
    size = write(output, text, (size_t)size) == size ? 0 : -1;
    close(output);
    return (int)size;
failed:
    return -1;
}

int main(void) { return copy("/dev/null", "/nowhere/file") != -1; }
