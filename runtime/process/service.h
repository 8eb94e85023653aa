/* Requests to the launcher, which answers on a socket.
 *
 * A request and its answer are each one message of words, every word with its final zero. Any code
 * may send a request, also a child of vfork, because a request allocates no memory and keeps no
 * descriptor open. Without a launcher that can be reached there is no answer, and the program
 * continues as it would without whence. whence.abi.runs defines the requests.
 */
#ifndef WHENCE_PROCESS_SERVICE_H
#define WHENCE_PROCESS_SERVICE_H

#include <stddef.h>
#include "../os/text.h"

/* A request while it is built, then its answer. */
struct service_talk {
    struct text text;
    size_t at; /* the answer's next word */
};

/* Takes the path of the socket from the environment (as in /proc/self/environ). */
void service_init(const char *environment, size_t size);
/* Whether the environment names a launcher's socket. */
int service_known(void);
/* The folder of the run, which the socket lies in; "" if there is none. */
const char *service_folder(size_t *length);

/* `room` has WH_SERVICE_ROOM bytes and must live as long as the talk. */
void service_begin(struct service_talk *talk, char *room, const char *question);
void service_say(struct service_talk *talk, const char *word);
void service_say_directory(struct service_talk *talk);
/* Sends the request and waits for the answer without a time limit. 0 if there is no answer. */
int service_ask(struct service_talk *talk);
/* The same, for questions of which the caller says what no answer means. */
int service_try(struct service_talk *talk);
/* The next word of the answer, NULL after the last. */
const char *service_next(struct service_talk *talk);

#endif
