/* The kinds of loaded objects.
 *
 * An instrumented image depends on the runtime by name. The kind of an image stays known after it
 * is unloaded, because the blocks that it allocated outlive it.
 */
#ifndef WHENCE_PROCESS_IMAGES_H
#define WHENCE_PROCESS_IMAGES_H

#include <stddef.h>
#include <stdint.h>

enum image_kind {
    IMAGE_OTHER,        /* not instrumented */
    IMAGE_SYSTEM,       /* the C or C++ library, the loader, the runtime itself */
    IMAGE_INSTRUMENTED, /* its accesses are checked */
};

/* Reads the list of loaded images. */
void images_refresh(void);
/* More images are about to be loaded: what lies in none is looked up anew. */
void images_opening(void);
/* Another number whenever the list may have changed. */
uint32_t images_version(void);
/* The kind of the image that contains (or contained) a program counter. */
enum image_kind images_kind(uint64_t pc);
/* Whether it is instrumented code's. */
int images_has_checks(uint64_t pc);
/* The number of the image that contains a program counter, in the order in which they were seen; 0
 * is the program. *pc becomes its address as the image was linked. UINT32_MAX if none contains it.
 */
uint32_t images_place(uint64_t *pc);
/* Whether an address lies in the code or data of an instrumented image. */
int images_hold(uint64_t address);
/* Whether it lies in an image that was loaded after the first refresh. */
int images_came_later(uint64_t address);
/* Where the next instrumented one begins, and ends; *cursor starts at 0. 0 at the end. */
uint64_t images_begin(uint32_t *cursor, uint64_t *end);
/* Whether the program itself is instrumented, and whether any image is or was, at the last
 * refresh. */
int images_main_instrumented(void);
int images_any_instrumented(void);
/* Writes the executable segments of the loaded images in the form of /proc/self/maps, as far as
 * they fit; returns the bytes written. Used where /proc cannot be read. */
size_t images_list(char *text, size_t size);
/* Whether a file is one of the libraries that every program has. */
int images_is_system(const char *path, size_t length);

#endif
