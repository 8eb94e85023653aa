/* Correct calls of the kernel where wrappers could be in the way: nothing is reported, and results are the kernel's.
 * Arguments: how many small blocks are allocated first; a second one leaves out the stack in a block. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: errno %d\n", __LINE__, errno);                                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define REFUSED(call) REQUIRE((errno = 0, (call) == -1 && errno == EFAULT))

static int ends[2];

/* Where no block is, the kernel refuses pointers. */
static void refused(void) {
    void *wild = (void *)8;
    int zero = open("/dev/zero", O_RDONLY), length = 10;
    struct iovec part = {wild, 10};
    REFUSED(read(zero, NULL, 10));
    REFUSED(read(zero, wild, 10));
    REFUSED(write(ends[1], wild, 10));
    REFUSED(readv(zero, wild, 1));
    REFUSED(readv(zero, &part, 1));
    REFUSED(open(wild, O_RDONLY));
    REFUSED(stat(NULL, &(struct stat){0}));
    REFUSED(stat("/", wild));
    REFUSED(fstat(zero, NULL));
    REFUSED(sendmsg(ends[0], wild, 0));
    REFUSED(recvmsg(ends[0], NULL, 0));
    REFUSED(getsockname(ends[0], NULL, (socklen_t *)&length));
    REFUSED(ioctl(ends[0], FIONREAD, NULL));
    REFUSED(fcntl(zero, F_GETLK, wild));
    REFUSED(syscall(SYS_read, zero, wild, 10));
    REFUSED(syscall(SYS_openat, AT_FDCWD, wild, O_RDONLY));
    REFUSED(syscall(SYS_poll, wild, 1, 0));
    REFUSED(syscall(SYS_select, 1, wild, NULL, NULL, NULL));
    REFUSED(syscall(SYS_pselect6, 0, NULL, NULL, NULL, NULL, wild));
    REFUSED(syscall(SYS_sendmsg, ends[0], wild, 0));
    REFUSED(syscall(SYS_recvmsg, ends[0], NULL, 0));
    REFUSED(syscall(SYS_getsockname, ends[0], NULL, &length));
    REFUSED(syscall(SYS_ioctl, ends[0], FIONREAD, NULL));
    REFUSED(syscall(SYS_fcntl, zero, F_GETLK, wild));
    REFUSED(syscall(SYS_execve, wild, NULL, NULL));
    REFUSED(syscall(SYS_rt_sigprocmask, 0, wild, NULL, 8));
    REFUSED(syscall(SYS_futex, wild, 0, 1, NULL));
    REFUSED(execve(wild, NULL, NULL));
    close(zero);
}

static void without_arguments(void) {
    char *words[] = {strdup("true"), NULL}, **environment = calloc(2, sizeof *environment);
    int status;
    REQUIRE(fcntl(ends[0], F_GETFD) == 0 && ioctl(ends[0], FIOCLEX) == 0 && fcntl(ends[0], F_GETFD) == FD_CLOEXEC);
    REQUIRE(syscall(SYS_getpid) == getpid() && syscall(SYS_gettid) == gettid());
    REQUIRE(syscall(-1) == -1 && errno == ENOSYS && syscall(100000) == -1 && errno == ENOSYS);
    errno = 0;
    REQUIRE(read(-1, words[0], 4) == -1 && errno == EBADF && write(-1, words[0], 4) == -1 && errno == EBADF);
    environment[0] = strdup("A=B");
    pid_t child = vfork();
    if (!child) {
        execve("/bin/true", words, environment);
        _exit(1);
    }
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
}

static void *wait_in_read(void *buffer) {
    read(ends[0], buffer, 1000); /* the block is smaller, and nothing arrives */
    return NULL;
}

static void cancelled(void) {
    pthread_t thread;
    void *result;
    char *buffer = malloc(100);
    REQUIRE(!pthread_create(&thread, NULL, wait_in_read, buffer));
    usleep(20000);
    REQUIRE(!pthread_cancel(thread) && !pthread_join(thread, &result) && result == PTHREAD_CANCELED);
    free(buffer);
}

static ssize_t handled;
static void handler(int number) {
    char byte = (char)number;
    handled = write(ends[1], &byte, 1);
}

static void in_a_handler(void) {
    char *bytes = malloc(1);
    stack_t stack = {.ss_sp = malloc(SIGSTKSZ * 4), .ss_size = SIGSTKSZ * 4};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    REQUIRE(!sigaltstack(&stack, NULL) && !sigaction(SIGUSR1, &action, NULL) && !raise(SIGUSR1));
    REQUIRE(handled == 1 && read(ends[0], bytes, 1) == 1 && *bytes == SIGUSR1);
}

static ucontext_t here, there;
static void coroutine(void) {
    char *text = malloc(8);
    struct iovec part = {text, 8};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    REQUIRE(send(ends[1], "coroutin", 8, 0) == 8 && recvmsg(ends[0], &message, 0) == 8 && !memcmp(text, "coroutin", 8));
    free(text);
}

static void on_another_stack(void) {
    REQUIRE(!getcontext(&there));
    there.uc_stack.ss_sp = malloc(1 << 16), there.uc_stack.ss_size = 1 << 16, there.uc_link = &here;
    makecontext(&there, coroutine, 0);
    REQUIRE(!swapcontext(&here, &there));
}

int main(int count, char **words) {
    REQUIRE(!dlerror());
    for (int i = count > 1 ? atoi(words[1]) : 0; i > 0; i--) REQUIRE(strdup("a small block"));
    REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    refused();
    without_arguments();
    cancelled();
    in_a_handler();
    if (count < 3) on_another_stack();
    puts("good");
    return 0;
}
