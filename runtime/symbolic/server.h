/* The fork server: the process before `main`, of which each path is a child (whence.abi.symbolic).
 */
#ifndef WHENCE_SYMBOLIC_SERVER_H
#define WHENCE_SYMBOLIC_SERVER_H

/* Answers requests until the socket is closed, when the process ends. Returns in each child, after
 * its inputs are in place; `forked` is called there if no handlers were. */
void server_run(int socket, char **arguments, char **environment, void (*forked)(void));

#endif
