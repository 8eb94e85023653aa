#include "entered.h"
#include "finding.h"
#include "refusal.h"
#include "../include/whence/link.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../record/record.h"
#include "../settings/options.h"
#include "whence_abi.h"

#include <fcntl.h>
#include <sys/syscall.h>

#define IMAGES_MOST 4096u

/* Tables of words, each of an image: where that has it, NULL once it is gone and a copy is kept. */
static struct {
    const uint64_t *begin, *end;
    const uint64_t *image;
} tables[IMAGES_MOST];
static unsigned count; /* under the lock of findings */

WH_EXPORT void __whence_entered(const uint64_t *begin, const uint64_t *end) {
    finding_lock();
    unsigned i = 0;
    while (i < count && tables[i].image != begin) i++;
    if (i == count && count < IMAGES_MOST) {
        tables[i].begin = tables[i].image = begin;
        tables[i].end = end;
        count++;
    }
    finding_unlock();
}

/* The table of an image that is about to be unmapped is kept. */
WH_EXPORT void __whence_entered_end(const uint64_t *begin) {
    finding_lock();
    for (unsigned i = 0; i < count; i++) {
        if (tables[i].image != begin) continue;
        size_t size = (size_t)((const char *)tables[i].end - (const char *)begin);
        uintptr_t copy = 0;
        if (!os_reserve_anywhere(&copy, size, OS_READ_WRITE)) {
            wh_copy((void *)copy, begin, size);
            tables[i].begin = (const uint64_t *)copy;
            tables[i].end = (const uint64_t *)(copy + size);
        } else {
            tables[i].end = tables[i].begin;
        }
        tables[i].image = NULL;
    }
    finding_unlock();
}

/* ---- the file ---- */

static uint64_t entered_now(void) {
    uint64_t found = 0;
    for (unsigned i = 0; i < count; i++)
        for (const uint64_t *word = tables[i].begin; word < tables[i].end; word++)
            found += *(const volatile uint64_t *)word & WH_ENTERED_BEGUN;
    return found;
}

static int open_file(const char *record) {
    TEXT(path, 600);
    text_put(&path, record);
    text_put(&path, WH_ENTERED_SUFFIX);
    text_put(&path, ".");
    text_decimal(&path, os_process());
    text_put_n(&path, "", 1);
    if (path.length == path.capacity) return -1;
    long how = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    long file = os_call(SYS_openat, AT_FDCWD, (long)path.begin, how, 0600, 0, 0);
    return os_failed(file) ? -1 : (int)file;
}

/* A file that is not complete would have a second run do without functions that it needs. */
static void write_all(int file) {
    for (unsigned i = 0; i < count; i++) {
        const char *at = (const char *)tables[i].begin, *end = (const char *)tables[i].end;
        while (at < end) {
            long written = os_call(SYS_write, file, (long)at, end - at, 0, 0, 0);
            if (written > 0) {
                at += written;
                continue;
            }
            os_call(SYS_ftruncate, file, 0, 0, 0, 0, 0);
            return;
        }
    }
}

void entered_write(void) {
    static uint64_t written;
    const char *record = record_path();
    if (!count || !record || options.origins) return;
    uint64_t entered = entered_now();
    int file = entered == written ? -1 : open_file(record);
    if (file >= 0) {
        write_all(file);
        os_close(file);
        written = entered;
    }
}

/* ---- code without the others ---- */

WH_EXPORT void __whence_not_entered(const char *name) {
    TEXT(why, 600);
    text_put(&why, "it enters ");
    text_put(&why, name);
    text_put(&why, ", which the first run had not entered when it came to its findings");
    refusal_end(&why);
}
