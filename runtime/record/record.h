/* The record file: findings leave the process through shared memory, so that
 * what was written survives any death. Format: whence.abi.records.
 *
 * The file may be sparse on a full disk or be cut short by somebody: every page
 * is tested with a system call before it is written, so no SIGBUS can happen.
 */
#ifndef WHENCE_RECORD_RECORD_H
#define WHENCE_RECORD_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include "whence_abi.h"

enum record_status {
    RECORD_OK,
    RECORD_NONE,       /* no file was named */
    RECORD_UNOPENABLE, /* cannot be opened for reading and writing, or mapped */
    RECORD_FOREIGN,    /* too short, or not a record file of this version */
    RECORD_LOST,       /* was there, can no longer be written */
    RECORD_FULL,
    RECORD_KNOWN, /* the file has it already */
};

/* Maps the file and takes it over if it is fresh; path NULL: none. */
enum record_status record_init(const char *path);
/* Does this once with the file that WH_RECORD_VARIABLE names, and joins. Where it cannot, standard
 * error hears of it if `complains`. */
void record_open(int complains);
/* Whether this program, and no other one of the run, has taken the fresh file over. */
int record_is_first(void);
/* The process that took the fresh file over; 0: there is none. */
uint32_t record_process(void);
/* The name of the file that is mapped; empty without one, or if it is very long. */
const char *record_path(void);
/* Whether a file is mapped; its address range, for those that scan memory. */
int record_mapped(uintptr_t *begin, size_t *size);

struct record_part {
    const void *data;
    size_t size; /* padded to a multiple of 8 in the file */
};

/* Appends one record with all parts, or nothing. May be called by any thread at any time, also in a
 * signal handler. */
enum record_status record_append(uint32_t type, const struct record_part *parts, unsigned count);
/* The same; *offset is the place of the record in the file. */
enum record_status record_append_at(uint32_t type, const struct record_part *parts, unsigned count,
                                    uint64_t *offset);

/* The same, if no process has written an equal record, which begins with the same eight bytes; else
 * *offset is the place of that one, and the result RECORD_KNOWN. */
enum record_status record_once(uint32_t type, const struct record_part *parts, unsigned count,
                               uint64_t *offset);
/* The same of a record that is a text: its length, a hash, the text. */
enum record_status record_text_once(uint32_t type, const char *text);
/* Has this process write every record anew: whoever reads the file empties it in between. */
void record_is_reused(void);
/* The FINDING record at an offset; NULL if the file has been cut short. */
struct wh_finding *record_finding(uint64_t offset);

/* Lets the process `judge` decide about the FINDING record at an offset, whose flags have
 * WH_FLAG_ASKED, and waits for the decision: 1 to continue, 0 to stop, -1 if there will be none
 * (the judge has ended, or the file was truncated). */
int record_ask(uint64_t offset, uint32_t judge);

/* Whether the process that reads the file has ended, even if its parent has not waited for it yet
 * (without /proc, that case goes unnoticed). */
int record_reader_has_ended(uint32_t process);

/* Registers this process as a writer of the file, which may outlive the others. */
void record_join(void);
/* Registers a process that is about to execute a program which joins, as a child of vfork. */
void record_expect(uint32_t process);
/* Before a fork, and in its child: whoever reads the file knows of a child that
 * has not come far enough to join. */
void record_fork_begins(void);
void record_fork_arrives(void);

/* Counts a finding, whether it finds room or not. */
void record_count_finding(void);
void record_finish(void);

/* Says that this process is about to end with a status as waitpid gives it, and waits until the
 * process `reader` has reported its findings, or has ended. Whether another exit status is wanted.
 */
int record_hold(int status, uint32_t reader);

#endif
