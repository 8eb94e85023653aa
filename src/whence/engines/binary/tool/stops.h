/* Why a thread is stopped, and what it is allowed then.
 *
 * Copyright (C) the authors of whence.
 *
 * This program is free software; you can redistribute it and/or modify it under the terms of the
 * GNU General Public License as published by the Free Software Foundation; either version 2 of the
 * License, or (at your option) any later version. It is a program of its own, linked with
 * Valgrind's core and no part of whence's library; the file LICENSE beside it says more.
 */
#ifndef WHENCE_TOOL_STOPS_H
#define WHENCE_TOOL_STOPS_H

#include "tool.h"

/* A gather of vector code has 16 addresses, and the instruction may be met as new code, too. */
#define ALLOWED_MOST 40u

struct access {
    Addr address, pc;
    SizeT size;
    Bool write, pending;
    ULong kind;                 /* WHENCE_MET_... */
    Addr allowed[ALLOWED_MOST]; /* by the instruction at allowed_pc, until another one is stopped */
    Addr allowed_pc;
    UInt allowances;
    ULong value, bits; /* of a use */
    UInt tag;
    /* The last instruction before which a block was left, if no other code has come since, and that
     * block. */
    Addr left_at, left_begin;
    Addr begin, begin_pc; /* of the block of a stop, and where that was */
};
extern struct access *accesses; /* by thread */

void allow(struct access *mine);
/* Stops the program before its next instruction, unless the runtime has allowed what it does. */
void stop(struct access *mine);
Bool is_allowed(const struct access *mine);

/* Keeps what explain() needs of a thread that is going to be stopped. */
void keep_begin(ThreadId thread);
/* Writes whence the address of an access came, or the undefined value that the thread has used last
 * (WHENCE_REQUEST_WRITTEN). */
UInt explain(ThreadId thread, UWord *words, Bool is_use);

#endif
