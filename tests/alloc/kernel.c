/* kernel CASE WHERE: a system call gets a buffer. WHERE: fits, short (a byte too small), freed; and, where blocks
 * have options, read-only and closed. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <whence/alloc.h>

int main(int count, char **words) {
    const char *call = words[1], *where = count > 2 ? words[2] : "fits";
    size_t size = count > 3 ? strtoul(words[3], NULL, 10) : 96;
    char *block = malloc(size);
    int zero = open("/dev/zero", O_RDONLY), pair[2];
    if (!block || socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 2;
    memset(block, 1, size);
    size_t asked = strcmp(where, "short") ? size : size + 1;
    struct iovec parts[] = {{block, size / 2}, {block + size / 2, asked - size / 2}};
    if (!strcmp(where, "freed")) free(block);
    if (!strcmp(where, "read-only")) whence_alloc_set(block, WHENCE_ALLOC_READ_ONLY);
    if (!strcmp(where, "closed")) whence_alloc_set(block, WHENCE_ALLOC_NO_ACCESS);
    /* What arrives is shorter than the buffer is said to be: nothing is wrong with that. */
    int partial = !strcmp(where, "partial") && send(pair[1], "twelve bytes", 12, 0) == 12;
    if (partial) asked = size + 1000;
    long done = -1;
    if (!strcmp(call, "read")) done = read(partial ? pair[0] : zero, block, asked);
    if (!strcmp(call, "pread")) done = pread(zero, block, asked, 0);
    if (!strcmp(call, "readv")) done = readv(zero, parts, 2);
    if (!strcmp(call, "recv")) done = recv(pair[0], block, asked, 0);
    if (!strcmp(call, "recv-trunc")) {
        char packet[200];
        int ends[2];
        memset(packet, 'x', sizeof packet);
        if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) || send(ends[1], packet, sizeof packet, 0) < 0) return 2;
        done = recv(ends[0], block, asked, MSG_TRUNC);
    }
    if (!strcmp(call, "write")) done = write(pair[0], block, asked);
    if (!strcmp(call, "send")) done = send(pair[0], block, asked, 0);
    if (!strcmp(call, "writev")) done = writev(pair[0], parts, 2);
    printf("%ld\n", done);
    if (strcmp(where, "freed")) free(block);
    return 0;
}
