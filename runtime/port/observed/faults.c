/* A tool stops the program by SIGSEGV before a wrong access. */
#include "../checked/faults.h"
#include "../../observed/observed.h"
#include "../../process/catching.h"
#include "../port.h"

int __sigaction(int, const struct sigaction *, struct sigaction *);

void faults_begin(void) { observed_begin(); }

int port_takes_fault(int number, const siginfo_t *info, void *machine) {
    (void)info;
    return observed_fault(number, machine);
}

uint64_t port_signals(void) { return SIGNAL_BIT(SIGSEGV); }

/* The program's own handler of SIGSEGV is called by ours, and may be stopped, too. */
void port_install(int number, void (*handler)(int, siginfo_t *, void *)) {
    struct sigaction own = {0};
    own.sa_sigaction = handler;
    own.sa_flags = SA_SIGINFO | SA_ONSTACK;
    if (number == SIGSEGV) own.sa_flags |= SA_NODEFER;
    __sigaction(number, &own, NULL);
}
