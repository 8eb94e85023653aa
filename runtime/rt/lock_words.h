/* What the C library keeps of a lock, in the lock itself.
 *
 * So the state of a lock is known whoever locked it, seen or unseen; it goes with the memory that
 * the lock lies in, and with what the program writes there. The layout is part of the library's
 * interface where static initialisers write it (mutexes); of the rest it has been the same since
 * 2.25, and what an older library has is not looked at. For what the library does not note as
 * destroyed, the runtime writes a mark into bytes of the object that the library never uses.
 */
#ifndef WHENCE_RT_LOCK_WORDS_H
#define WHENCE_RT_LOCK_WORDS_H

#include "../events/events.h"

/* Finds out which objects can be read. Once, before the functions below. */
void lock_words_begin(void);

/* The kernel's number of the thread that holds a lock, where it is noted. */
enum lock_state { LOCK_UNKNOWN, LOCK_FREE, LOCK_HELD };
/* Of a mutex, a lock for reading and writing, or a spin lock. *holder: 0 if it is not known. */
enum lock_state lock_state(unsigned kind, const void *lock, uint32_t *holder);

/* Whether a mutex that its holder locks again waits for ever, and whether the thread that unlocks
 * it without holding it gets no error. Not of those that other processes may have. */
int lock_is_plain(unsigned kind, const void *lock);
/* Whether the behaviour is undefined where a thread waits with a mutex that it does not hold. */
int lock_is_waited_with(const void *mutex);

/* Whether a thread is blocked at what is no lock, or waits for a lock for reading and writing. */
int lock_is_awaited(unsigned kind, const void *object);

int lock_is_destroyed(unsigned kind, const void *object);
/* After it was destroyed, or initialised. */
void lock_note_destroyed(unsigned kind, void *object);
void lock_note_initialised(unsigned kind, void *object);

#endif
