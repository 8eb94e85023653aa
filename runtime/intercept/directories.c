/* dirent.h, glob.h, ftw.h, wordexp.h, fnmatch.h: directories and patterns of names. */
#include <stdarg.h>
#include "check.h"

#include <dirent.h>
#include <fnmatch.h>
#include <ftw.h>
#include <glob.h>
#include <wordexp.h>

/* ---- streams of entries; of the C library's own object only its begin is looked at ---- */

#define OF_DIRECTORY(type, name)                                                                   \
    WRAP(type, name, (DIR * directory)) {                                                          \
        READ(directory, 1);                                                                        \
        return name(directory);                                                                    \
    }

/* At the end of the directory errno is what it was. */
#define READS(type, name)                                                                          \
    WRAP(type, name, (DIR * directory)) {                                                          \
        READ(directory, 1);                                                                        \
        type entry = name(directory);                                                              \
        if (!entry && descriptors_watched()) USED(dirfd(directory), -1);                           \
        return entry;                                                                              \
    }

READS(struct dirent *, readdir)
READS(struct dirent64 *, readdir64)
OF_DIRECTORY(void, rewinddir)

/* Of an entry, so much is stored as its name needs, which is not known before. */
#define READS_INTO(name, entry)                                                                    \
    WRAP(int, name, (DIR * directory, struct entry * to, struct entry * *result)) {                \
        READ(directory, 1);                                                                        \
        WRITE(result, sizeof *result);                                                             \
        int failed = name(directory, to, result);                                                  \
        if (!failed && *result) WROTE(to, to->d_reclen);                                           \
        return failed;                                                                             \
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
READS_INTO(readdir_r, dirent)
READS_INTO(readdir64_r, dirent64)
#pragma GCC diagnostic pop

OF_DIRECTORY(long, telldir)
OF_DIRECTORY(int, dirfd)

WRAP(int, closedir, (DIR * directory)) {
    READ(directory, 1);
    if (descriptors_watched()) file_closing(SITE, dirfd(directory));
    return closedir(directory);
}

WRAP(void, seekdir, (DIR * directory, long place)) {
    READ(directory, 1);
    seekdir(directory, place);
}

#define SCAN(name, entry)                                                                          \
    WRAP(int, name,                                                                                \
         (const char *path, struct entry ***names, int (*filter)(const struct entry *),            \
          int (*compare)(const struct entry **, const struct entry **))) {                         \
        READ_PATH(path);                                                                           \
        WRITE(names, sizeof *names);                                                               \
        return name(path, names, filter, compare);                                                 \
    }

SCAN(scandir, dirent)
SCAN(scandir64, dirent64)

#define SCAN_AT(name, entry)                                                                       \
    WRAP(int, name,                                                                                \
         (int directory, const char *path, struct entry ***names,                                  \
          int (*filter)(const struct entry *),                                                     \
          int (*compare)(const struct entry **, const struct entry **))) {                         \
        READ_PATH(path);                                                                           \
        WRITE(names, sizeof *names);                                                               \
        return USED_AT(directory, path, name(directory, path, names, filter, compare));            \
    }

SCAN_AT(scandirat, dirent)
SCAN_AT(scandirat64, dirent64)

/* ---- walks ---- */

#define WALK(name, status)                                                                         \
    WRAP(int, name,                                                                                \
         (const char *path, int (*visit)(const char *, const struct status *, int), int most)) {   \
        READ_STRING(path);                                                                         \
        return name(path, visit, most);                                                            \
    }

#define WALK_MORE(name, status)                                                                    \
    WRAP(int, name,                                                                                \
         (const char *path, int (*visit)(const char *, const struct status *, int, struct FTW *),  \
          int most, int flags)) {                                                                  \
        READ_STRING(path);                                                                         \
        return name(path, visit, most, flags);                                                     \
    }

WALK(ftw, stat)
WALK(ftw64, stat64)
WALK_MORE(nftw, stat)
WALK_MORE(nftw64, stat64)

/* ---- patterns ---- */

#define GLOB(name, result_type)                                                                    \
    WRAP(                                                                                          \
        int, name,                                                                                 \
        (const char *pattern, int flags, int (*failed)(const char *, int), result_type *result)) { \
        READ_STRING(pattern);                                                                      \
        WRITE(result, sizeof *result);                                                             \
        return name(pattern, flags, failed, result);                                               \
    }

#define GLOB_END(name, result_type)                                                                \
    WRAP(void, name, (result_type * result)) {                                                     \
        WRITE(result, sizeof *result);                                                             \
        name(result);                                                                              \
    }

GLOB(glob, glob_t)
GLOB(glob64, glob64_t)
GLOB_END(globfree, glob_t)
GLOB_END(globfree64, glob64_t)
GLOB_END(wordfree, wordexp_t)

WRAP(int, wordexp, (const char *words, wordexp_t *result, int flags)) {
    READ_STRING(words);
    WRITE(result, sizeof *result);
    return wordexp(words, result, flags);
}

WRAP(int, fnmatch, (const char *pattern, const char *name, int flags)) {
    READ_STRING(pattern);
    READ_STRING(name);
    return fnmatch(pattern, name, flags);
}
