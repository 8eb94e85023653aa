#include "common.h"
#include <setjmp.h>
static void on_exit_handler(void) {
    char *a = malloc(5);
    STORE(a + 5, a, 1);
}
static void handler(int number) {
    (void)number;
    write(1, "handled\n", 8);
    _exit(5);
}
static sigjmp_buf back;
static void jump(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    REQUIRE(info->si_addr == (void *)0x10);
    siglongjmp(back, 1);
}
int main(int argc, char **argv) {
    volatile int zero = 0;
    char *a = malloc(10);
    if (IS("_exit")) {
        STORE(a + 10, a, 1);
        puts("out");
        fflush(stdout);
        _exit(3);
    }
    if (IS("abort")) {
        STORE(a + 10, a, 1);
        abort();
    }
    if (IS("kill")) {
        STORE(a + 10, a, 1);
        puts("ready");
        fflush(stdout);
        pause();
    }
    if (IS("atexit")) atexit(on_exit_handler);
    if (IS("segv")) *(volatile int *)0x123456780000 = 1;
    if (IS("wild")) *(volatile int *)0xdead000000000000 = 1;
    if (IS("null-write")) *(volatile int *)16 = 1;
    if (IS("null-read")) return *(volatile int *)16;
    if (IS("heap-unmapped")) return *(volatile char *)(a + (1l << 34));
    if (IS("big-sealed")) {
        char *b = malloc(200 << 20);
        free(b);
        return *(volatile char *)(b + (100 << 20));
    }
    if (IS("jump-null")) ((void (*)(void))0)();
    if (IS("fpe")) return 7 / zero;
    if (IS("ill")) __asm__("ud2");
    if (IS("breakpoint")) __asm__("int3");
    if (IS("trap")) raise(SIGTRAP);
    if (IS("term")) raise(SIGTERM);
    if (IS("segv-sent")) {
        if (!fork()) {
            kill(getppid(), SIGSEGV);
            _exit(0);
        }
        pause();
    }
    if (IS("overflow")) {
        volatile char big[1 << 14];
        big[0] = 1;
        char *again[] = {argv[0], argv[1]};
        return main(argc, again) + big[0];
    }
    if (IS("own-signal")) {
        REQUIRE(signal(SIGSEGV, handler) == SIG_DFL);
        *(volatile int *)16 = 1;
    }
    if (IS("own-trap")) {
        REQUIRE(signal(SIGTRAP, handler) == SIG_DFL);
        __asm__("int3");
    }
    if (IS("own-sigaction")) {
        struct sigaction action = {0}, old;
        action.sa_sigaction = jump;
        action.sa_flags = SA_SIGINFO;
        REQUIRE(!sigaction(SIGSEGV, &action, &old) && old.sa_handler == SIG_DFL);
        for (int i = 0; i < 3; i++)
            if (!sigsetjmp(back, 1)) *(volatile int *)16 = 1;
        REQUIRE(!sigaction(SIGSEGV, NULL, &old) && old.sa_sigaction == jump);
        REQUIRE(signal(SIGSEGV, SIG_DFL) == (void (*)(int))jump);
        REQUIRE(!sigaction(SIGSEGV, NULL, &old) && old.sa_handler == SIG_DFL);
        free(a);
        return 4;
    }
    if (IS("reset")) {
        signal(SIGSEGV, handler);
        signal(SIGSEGV, SIG_DFL);
        *(volatile int *)16 = 1;
    }
    if (IS("ignored")) {
        signal(SIGABRT, SIG_IGN);
        raise(SIGABRT);
        free(a);
        return 6;
    }
    free(a);
    return 0;
}
