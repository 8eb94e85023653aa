/* What the processor's signals mean in a program whose accesses are checked: each product that has
 * this folder supplies port_takes_fault, port_signals and port_install (port/port.h), and the
 * function here. */
#ifndef WHENCE_PORT_CHECKED_FAULTS_H
#define WHENCE_PORT_CHECKED_FAULTS_H

/* The end of port_begin. */
void faults_begin(void);

#endif
