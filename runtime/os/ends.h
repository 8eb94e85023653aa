/* Which socket is at the other end of one. */
#ifndef WHENCE_OS_ENDS_H
#define WHENCE_OS_ENDS_H

#include <stdint.h>

/* Numbers for what a connected socket sends and receives: what one end sends has the number of what
 * the other receives. 0: it is not known. */
struct os_ends {
    uint64_t sent, received;
};

/* For a socket of the Internet by its addresses; for a local one by the numbers of both, its own of
 * which is `number`. */
struct os_ends os_ends(int socket, uint64_t number);

#endif
