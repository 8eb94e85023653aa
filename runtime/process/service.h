/* Requests to the launcher, which answers on a socket.
 *
 * A request and its answer are each one message of words, every word with its
 * final zero. Requests can be sent from anywhere, also from a child of
 * vfork: nothing is allocated, and no descriptor is kept. When it is gone, or
 * cannot be reached from here, there is no answer and the program goes on as it
 * would without whence. The words are defined in whence.engines.process.service.
 */
#ifndef WHENCE_PROCESS_SERVICE_H
#define WHENCE_PROCESS_SERVICE_H

#include <stddef.h>
#include "../os/text.h"

#define SERVICE_ROOM 16384u

/* A question that grows, then its answer. */
struct service_talk {
    struct text text;
    size_t at; /* the answer's next word */
};

/* Takes the path of the socket from the environment (as in /proc/self/environ). */
void service_init(const char *environment, size_t size);
/* Whether there is a launcher to ask. */
int service_known(void);
/* The folder of the run, which the socket lies in; "" if there is none. */
const char *service_folder(size_t *length);

/* `room` has SERVICE_ROOM bytes and must live as long as the talk. */
void service_begin(struct service_talk *talk, char *room, const char *question);
void service_say(struct service_talk *talk, const char *word);
void service_say_directory(struct service_talk *talk);
/* Asks, and waits for the answer, as long as that takes. 0 if there is none. */
int service_ask(struct service_talk *talk);
/* The next word of the answer, NULL after the last. */
const char *service_next(struct service_talk *talk);

#endif
