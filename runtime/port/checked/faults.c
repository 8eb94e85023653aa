/* Code of the program itself checks accesses: a signal of the processor is the program's. */
#include "faults.h"
#include "../port.h"

int __sigaction(int, const struct sigaction *, struct sigaction *);

void faults_begin(void) {}

int port_takes_fault(int number, const siginfo_t *info, void *machine) {
    (void)number, (void)info, (void)machine;
    return 0;
}

uint64_t port_signals(void) { return 0; }

void port_install(int number, void (*handler)(int, siginfo_t *, void *)) {
    struct sigaction own = {0};
    own.sa_sigaction = handler;
    own.sa_flags = SA_SIGINFO | SA_ONSTACK;
    __sigaction(number, &own, NULL);
}
