/* System calls that may be given a null pointer for a structure, after more small blocks than have ends of their own. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <unistd.h>

int main(void) {
    for (int i = 0; i < 2000; i++) ((char *)malloc(40))[0] = 1;
    int file = open("/dev/null", O_RDONLY);
    struct timeval soon = {0, 1000};
    struct timespec later = {0, 1000};
    printf("%d", ioctl(file, FIOCLEX, NULL));
    printf(" %d", ioctl(file, FIONCLEX, (void *)5));
    printf(" %d", select(0, NULL, NULL, NULL, &soon));
    printf(" %d\n", pselect(0, NULL, NULL, NULL, &later, NULL));
    return 0;
}
