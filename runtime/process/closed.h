/* Images that the program has closed.
 *
 * What the runtime keeps of an image by its address outlives the image: return addresses in the
 * depot, sites of values and of lost pointers, descriptions of variables, constants that origins
 * name. So no other image gets the addresses of one that is gone, and what the description sections
 * held is kept, once for each image however often it is loaded. Images of the start are never
 * unloaded.
 */
#ifndef WHENCE_PROCESS_CLOSED_H
#define WHENCE_PROCESS_CLOSED_H

#include <stdint.h>

/* Before and after an image may be unloaded. The first keeps what images hold that were loaded
 * since; the table of images (images.h) is that of now. */
void closed_begin(void);
void closed_end(void);

/* What the pointer into an image leads to: itself, or if the image is gone a copy of what stood
 * there; NULL if there is none. Only bytes of the same object are behind the copy. */
const void *closed_kept(const void *pointer);

/* Around fork. */
void closed_lock(void);
void closed_unlock(void);

#endif
