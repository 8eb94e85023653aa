// Standard streams are closed again only after they were opened again, by a child, or as other streams.
// RUN: options --enable double-close --enable use-of-closed-descriptor
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void close_output(void) {
    if (fclose(stdout) || fclose(stderr))
        _exit(9);
}

int main(void) {
    atexit(close_output);
    fclose(stdin);
    if (!freopen("/dev/null", "r", stdin) || fgetc(stdin) != EOF)
        return 1;
    fclose(stdin);
    pid_t child = fork();
    if (child == 0) {
        fclose(stdin); // the parent has closed it; the child need not know
        _exit(0);
    }
    int status = 1;
    if (waitpid(child, &status, 0) != child || status)
        return 2;
    int file = open("/dev/null", O_RDONLY); // gets the number of standard input
    FILE *input = fdopen(file, "r");
    if (file != 0 || !input)
        return 3;
    FILE *standard = stdin;
    stdin = input;
    fclose(stdin);
    stdin = standard;
    if (!freopen("/dev/null", "r", stdin) || freopen("/nonexistent/input", "r", stdin))
        return 4;
    if (!freopen("/dev/null", "r", stdin))
        return 5;
    fclose(stdin);
    return 0;
}
