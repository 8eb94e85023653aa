/* modules: os/os os/text */
#include "../../../runtime/os/os.h"
#include "../../../runtime/os/text.h"
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

static char much[1 << 20];

/* Makes a pair's second end standard error; returns the first. */
static int take(int ends[2], int reading) {
    CHECK(dup2(ends[!reading], 2) == 2);
    close(ends[!reading]);
    return ends[reading];
}

static void a_reader_that_does_not_read_is_not_waited_for(int error) {
    int ends[2];
    CHECK(pipe(ends) == 0);
    int reader = take(ends, 0);
    os_complain(much, sizeof much);
    for (unsigned i = 0; i < 1000; i++) os_complain(much, 4096);
    CHECK(fcntl(2, F_GETFL) == O_WRONLY); /* the program's own writes block as before */
    close(reader);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    reader = take(ends, 0);
    os_complain(much, sizeof much);
    close(reader);
    CHECK(dup2(error, 2) == 2);
}

static void all_is_written_where_it_can_be(int error) {
    int file = open("complaint", O_CREAT | O_TRUNC | O_RDWR, 0600);
    CHECK(file >= 0 && dup2(file, 2) == 2);
    os_complain(much, sizeof much);
    CHECK(lseek(2, 0, SEEK_CUR) == sizeof much);
    int ends[2];
    char read_back[8] = "";
    CHECK(pipe(ends) == 0);
    int reader = take(ends, 0);
    os_complain("abc", 3);
    CHECK(read(reader, read_back, sizeof read_back) == 3 && !strcmp(read_back, "abc"));
    close(2);
    os_complain("abc", 3);
    CHECK(dup2(error, 2) == 2);
}

int main(void) {
    int error = dup(2);
    signal(SIGPIPE, SIG_IGN);
    memset(much, 'x', sizeof much);
    all_is_written_where_it_can_be(error);
    a_reader_that_does_not_read_is_not_waited_for(error);
    return 0;
}
