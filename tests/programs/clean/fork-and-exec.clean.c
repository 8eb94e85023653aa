// fork while other threads allocate, exec of another program with a pipe, popen, system,
// posix_spawn and vfork.
// Memcheck reports this: the forked child ends while it has a copy of another thread's block
// RUN: cflags -pthread
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int stop;
extern char **environ;

static void *churn(void *unused) {
    while (!stop)
        free(malloc(100));
    return NULL;
}

static int wait_for(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void) {
    int bad = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, churn, NULL);
    for (int i = 0; i < 5; i++) {
        char *p = malloc(64);
        memset(p, i, 64);
        pid_t child = fork();
        if (child == 0) {
            char *q = malloc(64);
            memcpy(q, p, 64);
            int v = q[63];
            free(p);
            free(q);
            _exit(v + 10);
        }
        bad += wait_for(child) != i + 10;
        free(p);
    }
    stop = 1;
    pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0) {
        execlp("sh", "sh", "-c", "exit 5", (char *)NULL);
        _exit(1);
    }
    bad += wait_for(child) != 5;
    FILE *f = popen("echo 'hello from a shell'", "r");
    char *line = malloc(100);
    bad += !fgets(line, 100, f) || strcmp(line, "hello from a shell\n") != 0;
    free(line);
    bad += pclose(f) != 0;
    bad += WEXITSTATUS(system("exit 3")) != 3;
    char *argv[] = {"sh", "-c", "exit 4", NULL};
    bad += posix_spawnp(&child, "sh", NULL, NULL, argv, environ) != 0 || wait_for(child) != 4;
    return bad;
}
