// A log is closed by a signal to reopen it, which fails; the next line goes nowhere, or to another file.
// RUN: options --enable use-of-closed-descriptor
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int log_file = -1;

static void line(const char *text) {
    if (write(log_file, text, strlen(text)) < 0) // EXPECT use-of-closed-descriptor in write
        _exit(1);
}

static void reopen(const char *path) {
    close(log_file);
    int next = open(path, O_WRONLY);
    if (next >= 0) log_file = next;
}

int main(void) {
    log_file = open("/dev/null", O_WRONLY);
    line("begin\n");
    reopen("/nowhere/log");
    line("reopened\n");
    return 0;
}
