/* Functions of the C++ library, which may come later than we, and for one library alone. */
#ifndef WHENCE_REPLACE_CXX_H
#define WHENCE_REPLACE_CXX_H

#include <stdint.h>

/* Address of a function of libstdc++ or libc++; 0 if there is none. Takes the loader's lock. */
uintptr_t cxx_find(const char *name);

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
