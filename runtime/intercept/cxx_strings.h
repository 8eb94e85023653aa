/* std::string, as libstdc++ lays it out. */
#ifndef WHENCE_INTERCEPT_CXX_STRINGS_H
#define WHENCE_INTERCEPT_CXX_STRINGS_H

#include <stddef.h>

struct cxx_string {
    const char *begin;
    size_t size;
};

#endif
