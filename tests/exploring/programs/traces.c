/* Each path checks that the process is as at its begin, and leaves something behind: for some things
 * the process can go back to where it was, for others the path ends with it. The status says which
 * check fails. The process's number goes to the file LOG. */
#include <fcntl.h>
#include <fenv.h>
#include <klee/klee.h>
#include <pthread.h>
#include <pwd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGE (8u << 20)
#define PAGE 4096u

static int written, sum;
static char large[LARGE];
static __thread int own;
static char begin[PAGE];

static void handle(int number) { (void)number; }

static void *run(void *argument) { return argument; }

static int deep(int depth) {
    volatile char room[1000];
    memset((char *)room, 1, sizeof room);
    return depth ? deep(depth - 1) + room[depth % 1000] : 0;
}

static int standard(int number) {
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL;
}

/* 0, or the number of the first check that fails. */
static int check(void) {
    char directory[PAGE];
    sigset_t mask;
    if (written || sum || own || begin[0]) return 10;
    for (unsigned i = 0; i < LARGE; i += PAGE)
        if (large[i]) return 11;
    if (getenv("LEFT_BEHIND")) return 12;
    if (!standard(SIGUSR1) || !standard(SIGALRM) || !standard(SIGTERM)) return 13;
    if (sigprocmask(SIG_BLOCK, NULL, &mask) || sigismember(&mask, SIGUSR2)) return 14;
    if (fegetround() != FE_TONEAREST) return 15;
    if (fcntl(1, F_GETFD) || fcntl(2, F_GETFD) || fcntl(0, F_GETFD)) return 16;
    int file = open("/dev/null", O_RDONLY);
    if (file != 3) return 17;
    close(file);
    if (!getcwd(directory, sizeof directory) || strcmp(directory, getenv("BEGUN"))) return 18;
    if (umask(022) != 022) return 19;
    struct itimerval timer;
    if (getitimer(ITIMER_REAL, &timer) || timer.it_value.tv_sec) return 20;
    stack_t stack;
    if (sigaltstack(NULL, &stack)) return 21;
    return 0;
}

static void leave(unsigned way) {
    int pair[2];
    char *page;
    sigset_t mask;
    pthread_t thread;
    sigjmp_buf back;
    switch (way) {
    case 0: written = sum = own = begin[0] = 1; break;
    case 1: open("/dev/null", O_RDONLY), dup(1); break;
    case 2: fclose(stdout), close(2); break;
    case 3: signal(SIGUSR1, handle), signal(SIGTERM, SIG_IGN); break;
    case 4: memset(large, 1, LARGE); break;
    case 5: memset(large + PAGE, 1, 40 * PAGE); break;
    case 6: setenv("LEFT_BEHIND", "yes", 1); break;
    case 7: fesetround(FE_UPWARD); break;
    case 8: sum = deep(100), sum += deep(3000); break;
    case 9:
        page = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(page, 1, 16 * PAGE);
        munmap(page, PAGE);
        break;
    case 10: pipe(pair), write(pair[1], "x", 1), read(pair[0], begin, 1); break;
    case 11:
        sigemptyset(&mask), sigaddset(&mask, SIGUSR2);
        sigprocmask(SIG_BLOCK, &mask, NULL);
        break;
    case 12:
        if (!sigsetjmp(back, 1)) siglongjmp(back, 1);
        break;
    case 13: page = malloc(3u << 20), memset(page, 1, 3u << 20), free(page); break;
    case 14: close(0), close(1), dup(2); break;
    case 15: chdir("/"); break;
    case 16: umask(077); break;
    /* The rest cannot be undone. */
    case 17:
        if (!fork()) _exit(1);
        wait(NULL);
        break;
    case 18: pthread_create(&thread, NULL, run, NULL), pthread_join(thread, NULL); break;
    case 19: alarm(100); break;
    case 20: dup2(1, 0), dup2(1, 40); break;
    case 21: mprotect((char *)((size_t)(large + 2 * PAGE) & -PAGE), PAGE, PROT_READ); break;
    case 22: signal(SIGSEGV, handle); break;
    case 23: raise(SIGCHLD); break;
    case 24: munmap((char *)((size_t)(large + 2 * PAGE) & -PAGE), PAGE); break;
    case 25: closefrom(3); break;
    case 26: system("true"); break;
    case 27:
        for (int i = 0; i < 560; i++) open("/dev/null", O_RDONLY);
        break;
    case 28: getpwuid(getuid()), socket(AF_UNIX, SOCK_STREAM, 0); break;
    }
}

int main(void) {
    int log = open(getenv("LOG"), O_WRONLY | O_APPEND | O_CREAT, 0666);
    char number[32];
    write(log, number, (size_t)snprintf(number, sizeof number, "%d\n", (int)getpid()));
    close(log);
    int failed = check();
    if (failed) _exit(failed);
    unsigned char way;
    klee_make_symbolic(&way, 1, "way");
    klee_assume(way < 29);
    for (unsigned char one = 0; one < 29; one++)
        if (way == one) leave(one);
    return 0;
}
