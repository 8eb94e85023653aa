/* The loaded objects, distinguished by who made them.
 *
 * An image that whence has linked again depends on the runtime by name. What
 * was learned of an image is kept when it is unloaded: blocks that it allocated
 * outlive it.
 */
#ifndef WHENCE_PROCESS_IMAGES_H
#define WHENCE_PROCESS_IMAGES_H

#include <stddef.h>
#include <stdint.h>

enum image_kind {
    IMAGE_OTHER,        /* runs as it was built */
    IMAGE_SYSTEM,       /* the C or C++ library, the loader, the runtime itself */
    IMAGE_INSTRUMENTED, /* its accesses are checked */
};

/* Looks at the images that are loaded now. */
void images_refresh(void);
/* The kind of the image that holds (or held) a program counter. */
enum image_kind images_kind(uint64_t pc);
/* Whether the program itself is instrumented, and whether any image has been;
 * both are of the last refresh. */
int images_main_instrumented(void);
int images_any_instrumented(void);
/* Writes what is loaded in the form of /proc/self/maps, executable segments only, as
 * far as it fits; the bytes written. For where /proc cannot be read. */
size_t images_list(char *text, size_t size);
/* Whether a file is one of the libraries that every program has. */
int images_is_system(const char *path, size_t length);

#endif
