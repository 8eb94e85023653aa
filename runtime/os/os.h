/* Every system call of the runtime stands behind this header.
 *
 * The calls are made directly: they leave errno alone, they work before the C
 * library is initialised, and no interposed function is in their way. A result
 * in -4095..-1 is a negated errno value.
 */
#ifndef WHENCE_OS_OS_H
#define WHENCE_OS_OS_H

#include <stddef.h>
#include <stdint.h>
#include "invariant.h"

#define OS_PAGE_SHIFT 12u
#define OS_PAGE (1ull << OS_PAGE_SHIFT)

/* Set before the program's second thread is made; then updates are atomic. */
extern int os_threaded;
/* The C library's own flag, since 2.32: it knows of threads that it makes for itself. */
extern char __libc_single_threaded __attribute__((weak));

static inline int os_has_threads(void) {
    return os_threaded || !&__libc_single_threaded || !__libc_single_threaded;
}

/* Any call, for files of this folder and those that make or repeat calls of the program. */
long os_call(long number, long a, long b, long c, long d, long e, long f);
/* A call of the program's: made whatever the program has forbidden itself. */
long os_pass(long number, long a, long b, long c, long d, long e, long f);
/* The same with six words. */
static inline long os_call_words(long number, const uint64_t *words) {
    return os_pass(number, (long)words[0], (long)words[1], (long)words[2], (long)words[3],
                   (long)words[4], (long)words[5]);
}

static inline int os_failed(long result) { return result < 0 && result >= -4095; }

/* The kernel may kill a process for a call (seccomp). From here on the calls of this header that
 * the function does not allow fail with EPERM instead: memory is taken for accessible then, and
 * os_exit may end the thread alone. NULL: all are allowed again. */
typedef int os_allows(long number, const uint64_t *words);
void os_confine(os_allows *allows);
/* Whether the kernel will make a call. */
int os_may_call(long number, const uint64_t *words);
/* The same of a call of which only the number is known. */
int os_may(long number);
/* In the child of a fork. */
void os_forked(void);

/* ---- memory; addresses and sizes are multiples of OS_PAGE ---- */

enum os_access { OS_NONE, OS_READ, OS_READ_WRITE };

/* Reserves exactly [begin, begin+size) without backing and out of core dumps:
 * 0, -EEXIST if something is mapped there, or another -errno. */
long os_reserve(uintptr_t begin, size_t size, enum os_access access);
/* The same where the system likes, at a multiple of 2 MiB. */
long os_reserve_anywhere(uintptr_t *begin, size_t size, enum os_access access);
long os_protect(uintptr_t begin, size_t size, enum os_access access);
/* The same of pages that hold nothing, for reading and writing; mmap is enough for it. */
long os_open_pages(uintptr_t begin, size_t size);
/* Replaces pages by closed ones that cost nothing; they may then be one mapping with their
 * neighbours. */
long os_close_pages(uintptr_t begin, size_t size);
/* The page at `from` goes to `to`, at once for all threads; what is left reads as zero. Linux
 * 5.7. */
long os_move_page(uintptr_t from, uintptr_t to);
/* Writes to private memory that may be closed; the bytes written, or -errno. */
long os_write_closed(uintptr_t to, const void *from, size_t size);
/* Gives pages of a mapped file their room on its disk. 0 if there is none; where the kernel cannot
 * tell, they get it when they are written to. */
int os_populate(uintptr_t begin, size_t size);
/* Drops the contents: pages read as zero and cost nothing until touched. */
void os_discard(uintptr_t begin, size_t size);
/* The same, and whatever mappings there were become one with this access, and with such
 * neighbours. */
long os_renew(uintptr_t begin, size_t size, enum os_access access);
/* Moves pages, and with them what they hold, to the begin of [to, to+to_size), whose pages are
 * lost; behind them and where they came from memory reads as zero. 0 if the system does not do
 * that: then the pages are where they were, and all of [to, to+to_size) reads as zero. */
int os_move(uintptr_t from, size_t size, uintptr_t to, size_t to_size);
/* Fresh zeroed memory anywhere; 0 if there is none. */
uintptr_t os_map(size_t size);
void os_unmap(uintptr_t begin, size_t size);
/* Gives a table twice the room, or at first room for `first` elements; *capacity: for how many it
 * has some. The first `used` stay. 0: there is no memory, and nothing has changed. */
int os_enlarge(void **table, size_t element, uint64_t used, uint64_t *capacity, uint64_t first);
/* Maps a part of a file so that it can be read; 0 if that fails. */
uintptr_t os_map_to_read(int file, size_t size, uint64_t offset);
/* Maps a file shared and writable; 0 if that fails. */
uintptr_t os_map_file(int file, size_t size);
/* The same at an address, in place of what is mapped there, from an offset on; file -1: zeroed
 * memory. 0 or -errno. */
long os_map_shared(uintptr_t begin, int file, size_t size, uint64_t offset);
/* Whether a byte can be read or written, found out without risking a signal.
 * The write test overwrites 8 bytes. */
int os_readable(uintptr_t address);
int os_writable(uintptr_t address);
/* Whether the word that an address lies in can be read: it never crosses into the next page. */
static inline int os_readable_word(uintptr_t address) {
    return os_readable(address & ~(uintptr_t)(sizeof(uint64_t) - 1));
}
/* Copies memory that may be cut off, closed or a device's, without risking a signal. `from` and
 * the size stay in one page. 0: it cannot be read. */
int os_copy(void *to, uintptr_t from, size_t size);
/* Pages that this process has touched for the first time (minor faults), ever. */
uint64_t os_faults(void);
/* Which of up to 4096 pages from `begin` are in memory, one byte each. */
long os_resident(uintptr_t begin, size_t size, unsigned char *pages);

/* ---- files ---- */

enum os_open { OS_OPEN_READ, OS_OPEN_READ_WRITE, OS_OPEN_DIRECTORY, OS_OPEN_APPEND };

int os_open(const char *path, enum os_open how);
/* A new file, for reading and writing; -EEXIST if there is one of that name. */
int os_make_file(const char *path);
/* Gives a file so many bytes, without room on the disk, or as many as it may have; how many, or
 * -errno. */
long os_enlarge_file(int file, uint64_t size);
long os_close(int file);
/* Whether a descriptor is open. */
int os_is_open(int file);
long os_read(int file, void *buffer, size_t size);
long os_read_at(int file, void *buffer, size_t size, uint64_t offset);
long os_write(int file, const void *buffer, size_t size);
long os_file_size(int file);
long os_list(int directory, void *buffer, size_t size);
/* Whole file into `buffer`, at most size bytes; the number of bytes or -errno. */
long os_read_file(const char *path, char *buffer, size_t size);
/* Calls `use` with the environment, zero-terminated strings of `size` bytes in all, if it can be
 * read. It comes from /proc: before the C library is initialised its own copy does not exist. */
void os_environment(void (*use)(const char *begin, size_t size, void *argument), void *argument);
/* What a symbolic link says, without a final zero; bytes or -errno. */
long os_read_link(const char *path, char *buffer, size_t size);
/* What tells a file from all others, also from a later one with its number. born: when it was made,
 * in nanoseconds; 0 where the system does not say. */
struct os_identity {
    uint64_t device, number, born;
    uint64_t size;
    uint32_t mode;
};
/* That of an open file: 0 or -errno. */
long os_identify(int file, struct os_identity *identity);
/* Where in an open file the next read or write begins; -errno if it has no such place. */
int64_t os_place(int file);
/* Writes everything to standard error, as far as that works. A reader that lets half a second pass
 * without reading is not waited for, then and later: the rest is dropped. */
void os_complain(const char *text, size_t size);
/* The working directory into `buffer`, with its final zero; bytes used or -errno. */
long os_directory(char *buffer, size_t size);
/* Whether a name leads to a regular file that this process may execute. */
int os_executable(const char *path);
/* Whether two names lead to one file. */
int os_same_file(const char *a, const char *b);

/* ---- a socket of whole messages, by its path in the file system ---- */

/* A descriptor, or -errno. */
int os_connect(const char *path);
/* Bytes sent or received, or -errno; a peer that is gone is no signal. */
long os_send(int socket, const void *message, size_t size);
long os_receive(int socket, void *buffer, size_t size);

/* ---- processes and threads ---- */

uint32_t os_process(void);
uint32_t os_thread(void);
uint32_t os_parent(void);
/* The name of the calling thread, and in the main thread of the process. */
void os_rename(const char *name);
/* execve, of a path or of an open file. They return only with -errno. */
long os_execute(const char *path, char *const *arguments, char *const *environment);
long os_execute_file(int file, char *const *arguments, char *const *environment);
_Noreturn void os_exit(int status);
long os_signal_process(uint32_t process, int signal);
long os_signal_thread(uint32_t process, uint32_t thread, int signal);
/* Whether the process may have no more than so much memory (RLIMIT_DATA, RLIMIT_AS). */
int os_memory_limited(void);
/* Bytes the main stack may grow to (RLIMIT_STACK), UINT64_MAX if unlimited. */
uint64_t os_stack_limit(void);
/* Changes it, at most to what the process may set; 0 if it is as before. */
int os_raise_stack_limit(uint64_t limit);
void os_sleep_us(uint64_t microseconds);
uint64_t os_now_us(void);
/* Processor time of the process so far. */
uint64_t os_cpu_us(void);
void os_futex_wait(uint32_t *word, uint32_t expected, uint64_t microseconds);
void os_futex_wake(uint32_t *word);
struct os_stack {
    void *begin;
    int flags;
    size_t size;
};
long os_alternate_stack(const struct os_stack *set, struct os_stack *old);
long os_block_signals(uint64_t mask, uint64_t *old);
long os_restore_signals(uint64_t mask);

/* ---- locks ---- */

/* A mutex: 0 free, 1 held, 2 held and waited for. Not recursive. */
struct os_lock {
    uint32_t word;
};

void os_lock_wait(struct os_lock *lock);

static inline void os_lock(struct os_lock *lock) {
    uint32_t free = 0;
    if (!__atomic_compare_exchange_n(&lock->word, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        os_lock_wait(lock);
}

static inline void os_unlock(struct os_lock *lock) {
    WH_INVARIANT(__atomic_load_n(&lock->word, __ATOMIC_RELAXED));
    if (__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) == 2) os_futex_wake(&lock->word);
}

/* Adds to a counter, without a bus lock while there is one thread. */
static inline uint64_t os_add(uint64_t *counter, uint64_t amount) {
    if (__builtin_expect(os_has_threads(), 0))
        return __atomic_add_fetch(counter, amount, __ATOMIC_RELAXED);
    return *counter += amount;
}

#endif
