/* Functions of the C++ library, which may come later than we, and for one library alone. */
#ifndef WHENCE_REPLACE_CXX_H
#define WHENCE_REPLACE_CXX_H

#include <stdint.h>

/* Address of a function of the program, libstdc++ or libc++, or of any other image but this
 * library; 0 if there is none. Neither waits for threads that load libraries nor changes what
 * dlerror returns. */
uintptr_t cxx_find(const char *name);
/* Whether the image at the address defines the function there. */
int cxx_is_defined(const char *name, uintptr_t address);

#define CXX_TEXT(name) #name

/* The same, kept, as a function pointer. The program called it, so it is there. */
#define CXX_FUNCTION(type, name, parameters)                                                       \
    __extension__({                                                                                \
        static uintptr_t found;                                                                    \
        if (!__atomic_load_n(&found, __ATOMIC_RELAXED))                                            \
            __atomic_store_n(&found, cxx_find(CXX_TEXT(name)), __ATOMIC_RELAXED);                  \
        (type(*) parameters) found;                                                                \
    })

#endif
