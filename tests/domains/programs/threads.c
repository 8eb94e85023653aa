/* Another thread reads, and a third one executes. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *reads(void *to) {
    char *buffer = malloc(40);
    ssize_t size = read(0, buffer, 39);
    buffer[size > 0 ? size : 0] = 0;
    *(char **)to = buffer;
    return buffer + strlen(buffer) / 2;
}

static void *executes(void *given) {
    char command[64] = "true ";
#ifdef CLEAN
    given = "nothing";
#endif
    strncat(command, given, sizeof command - 6);
    system(command); // expect: foreign-command
    return NULL;
}

int main(void) {
    pthread_t thread;
    char *all = NULL;
    void *half = NULL;
    pthread_create(&thread, NULL, reads, &all);
    pthread_join(thread, &half);
    pthread_create(&thread, NULL, executes, half);
    pthread_join(thread, NULL);
    free(all);
    return 0;
}
