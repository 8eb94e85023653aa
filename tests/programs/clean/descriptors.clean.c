// Descriptors that are closed in sweeps, by forked children, by libraries, and ones that are used again.
// RUN: options --enable use-of-closed-descriptor --enable double-close
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static int null(void) { return open("/dev/null", O_RDWR); }

/* A daemon's: all numbers, open or not, before another program is executed. */
static void sweep_up(int first) {
    for (int file = first; file < 200; file++) close(file);
}

static void sweep_down(void) {
    for (int file = 199; file >= 3; file--) close(file);
}

static void close_one(int file) { close(file); }

static void sweep_by_function(void) {
    for (int file = 2; file < 200; file++)
        if (file > 2) close_one(file);
}

static void *use_other_numbers(void *unused) {
    for (int i = 0; i < 1000; i++) {
        int file = null();
        if (file < 0 || write(file, "x", 1) != 1 || close(file)) abort();
    }
    return unused;
}

static void threads(void) {
    pthread_t all[4];
    for (int i = 0; i < 4; i++) pthread_create(&all[i], NULL, use_other_numbers, NULL);
    for (int i = 0; i < 4; i++) pthread_join(all[i], NULL);
}

/* The child closes; the parent goes on. */
static void children(void) {
    int file = null(), status;
    pid_t child = fork();
    if (child == 0) {
        close(file);
        sweep_up(3);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (write(file, "x", 1) != 1) abort();
    child = vfork();
    if (child == 0) {
        close(file);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (write(file, "x", 1) != 1 || close(file)) abort();
}

/* A number that was closed is another file's now. */
static void numbers_again(void) {
    int file = null();
    close(file);
    int copy = dup(0), again = dup2(copy, 50);
    if (again != 50 || fcntl(again, F_GETFD) < 0 || close(copy) || close(again)) abort();
    FILE *stream = tmpfile();
    if (!stream || fputs("x", stream) < 0 || fflush(stream)) abort();
    fclose(stream);
    if (fcntl(file, F_GETFD) != -1 || errno != EBADF) abort(); /* asks whether it is open */
    struct stat status;
    if (fstat(file, &status) != -1) abort();
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || send(ends[0], "x", 1, 0) != 1) abort();
    char byte;
    if (recv(ends[1], &byte, 1, 0) != 1 || close(ends[1]) || close(ends[0])) abort();
}

/* Refused for other reasons than that it is closed. */
static void refused(void) {
    char byte;
    int file = open("/dev/null", O_WRONLY);
    if (read(file, &byte, 1) != -1 || errno != EBADF || close(-1) != -1 || close(file)) abort();
    if (write(199, "x", 1) != -1) abort(); /* was never open */
    FILE *stream = fopen("/dev/null", "r");
    if (!stream || fputs("x", stream) >= 0) abort();
    fclose(stream);
}

/* Asks what is open, and names that need no directory. */
static void asked(void) {
    int file = null(), directory = open("/", O_RDONLY);
    close(file);
    close(directory);
    struct pollfd files[] = {{file, 0, 0}, {-1, POLLIN, 0}};
    if (poll(files, 2, 0) != 1 || files[0].revents != POLLNVAL) abort();
    struct termios settings;
    struct stat status;
    if (isatty(file) || tcgetattr(file, &settings) != -1 || fcntl(file, F_GETFL) != -1) abort();
    if (fstatat(file, "", &status, AT_EMPTY_PATH) != -1) abort();
    if (fstatat(directory, "/dev/null", &status, 0) || faccessat(directory, "/", R_OK, 0)) abort();
    if (fcntl(file, F_DUPFD_CLOEXEC, 10) != -1) abort(); /* a shell saves what is open */
    int opened = openat(directory, "/dev/null", O_RDONLY);
    if (opened < 0 || close(opened)) abort();
}

/* The end of a stream or directory, where errno is what it was. */
static void ends(void) {
    FILE *stream = fopen("/dev/null", "r");
    DIR *directory = opendir("/proc/self/task");
    char line[8];
    if (!stream || !directory) abort();
    while (errno = EBADF, readdir(directory)) {
    }
    if (fgetc(stream) != EOF || fgets(line, 8, stream) || fread(line, 1, 8, stream)) abort();
    fclose(stream);
    closedir(directory);
}

/* A stream without a descriptor, and one that is only asked about. */
static void streams(void) {
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream || fputs("x", stream) < 0 || fflush(stream) || fclose(stream)) abort();
    free(text);
    fclose(stdin);
    if (fileno(stdin) != -1 || feof(stdin) || ferror(stdin)) abort();
    if (!freopen("/dev/null", "r", stdin) || fgetc(stdin) != EOF || fileno(stdin)) abort();
}

int main(void) {
    threads();
    children();
    numbers_again();
    refused();
    asked();
    ends();
    streams();
    int kept = null();
    sweep_by_function();
    kept = null();
    if (write(kept, "x", 1) != 1) abort();
    sweep_down();
    kept = null();
    sweep_up(3);
    return 0;
}
