/* Descriptors: where checked code opened and closed them. */
#ifndef WHENCE_RT_DESCRIPTORS_H
#define WHENCE_RT_DESCRIPTORS_H

#include "../events/events.h"
#include "event.h"

static inline int descriptors_watched(void) { return event_watched(WH_POINT_DESCRIPTOR); }

/* A function has opened `file`; negative: it failed. */
void descriptor_opened(int file, const struct frame *frame);
/* A function is about to close `file`. */
void descriptor_closing(int file, const char *library, const struct frame *frame);
/* A function is about to close a standard stream, whose number was so when the program began;
 * `file`: its descriptor, negative if the stream is closed. */
void descriptor_stream_closing(unsigned number, int file, const char *library,
                               const struct frame *frame);
/* A function that has failed may have closed `file`. */
void descriptor_lost(int file, const struct frame *frame);
/* A program that closes all numbers, whether open or not, is about to close `file`. */
void descriptor_swept(int file, const struct frame *frame);
/* A function is about to close the descriptors from `first` to `last`, those that are open. */
void descriptors_closing(unsigned first, unsigned last, const struct frame *frame);
/* A function that was given `file` has failed, and set errno. */
void descriptor_refused(int file, const char *library, const struct frame *frame);
/* A function that was given `file` has said in another way than by errno that it is not open. */
void descriptor_missed(int file, const char *library, const struct frame *frame);
/* A function has failed, and set errno, that was given a standard stream without a descriptor,
 * whose number was so when the program began. */
void descriptor_stream_refused(unsigned number, const char *library, const struct frame *frame);
/* A thread gets descriptors of its own: from now on nothing is judged. */
void descriptors_part(void);

/* At the start of the process, which may not leave that to a child of vfork. */
void descriptors_begin(void);
/* A child of fork has descriptors of its own. */
extern const struct observer descriptors_observer;

#endif
