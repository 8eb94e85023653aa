/* Blocks of code that have met undefined values, by their instructions.
 *
 * Copyright (C) the authors of whence.
 *
 * This program is free software; you can redistribute it and/or modify it under the terms of the
 * GNU General Public License as published by the Free Software Foundation; either version 2 of the
 * License, or (at your option) any later version. It is a program of its own, linked with
 * Valgrind's core and no part of whence's library; the file LICENSE beside it says more.
 */
#include "tool.h"
#include "stops.h"
#include "pub_tool_oset.h"

static OSet *met;

static void *room(const HChar *purpose, SizeT size) { return VG_(malloc)(purpose, size); }

/* A block that cannot go on leaves by a jump that has the core forget the code of an instruction,
 * as of code that was changed. That instruction is what is translated next. */
void meet_again(ThreadId thread, Addr pc) {
    ULong words[2];
    const PtrdiffT offset = offsetof(VexGuestAMD64State, guest_CMSTART);
    VG_(get_shadow_regs_area)(thread, (UChar *)words, 0, offset, sizeof words);
    if (words[0] != pc || words[1] != 1) return;
    struct access *mine = &accesses[thread];
    mine->left_at = pc;
    VG_(get_shadow_regs_area)(thread, (UChar *)&mine->left_begin, 2,
                              offsetof(VexGuestAMD64State, guest_RIP), sizeof mine->left_begin);
    if (!met) met = VG_(OSetWord_Create)(room, "whence.met", VG_(free));
    if (!VG_(OSetWord_Contains)(met, pc)) VG_(OSetWord_Insert)(met, pc);
    words[0] = words[1] = 0;
    VG_(set_shadow_regs_area)(thread, 0, offset, sizeof words, (const UChar *)words);
}

Bool has_met(const IRSB *in) {
    if (!met) return False;
    for (Int i = 0; i < in->stmts_used; i++)
        if (in->stmts[i]->tag == Ist_IMark &&
            VG_(OSetWord_Contains)(met, in->stmts[i]->Ist.IMark.addr))
            return True;
    return False;
}
