/* The classes of objects, as the Itanium C++ ABI stores them: vtables, and descriptions of types.
 */
#ifndef WHENCE_RT_CLASSES_H
#define WHENCE_RT_CLASSES_H

#include <stdint.h>
#include "../include/whence/rules.h"

/* Whether the address may be used as that of an object of the place's class: unless it certainly
 * may not. Notes the vtable at the place, so that generated code knows it next time. *types: for
 * reports, with the class that the object has; valid until the thread's next call. */
int class_is_of(uintptr_t object, struct whence_site *site, const char **types);

#endif
