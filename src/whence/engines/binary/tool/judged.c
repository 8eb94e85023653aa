/* The arguments of calls of the runtime's and the C library's functions.
 *
 * Copyright (C) the authors of whence.
 *
 * This program is free software; you can redistribute it and/or modify it under the terms of the
 * GNU General Public License as published by the Free Software Foundation; either version 2 of the
 * License, or (at your option) any later version. It is a program of its own, linked with
 * Valgrind's core and no part of whence's library; the file LICENSE beside it says more.
 *
 * The kernel, or the allocator, uses each of them, so an undefined bit is a use. Where the program
 * calls such a function, the registers still have the bits that its code gave them; what the
 * functions of the C library call has none, as their code defines all that it writes.
 */
#include "tool.h"
#include "stops.h"

#define FUNCTIONS_MOST 256u
#define REGISTERS 6u
#define RESULT ((Int)offsetof(VexGuestAMD64State, guest_RAX))

static const Int registers[REGISTERS] = {
    offsetof(VexGuestAMD64State, guest_RDI), offsetof(VexGuestAMD64State, guest_RSI),
    offsetof(VexGuestAMD64State, guest_RDX), offsetof(VexGuestAMD64State, guest_RCX),
    offsetof(VexGuestAMD64State, guest_R8),  offsetof(VexGuestAMD64State, guest_R9)};

static struct {
    Addr function;
    ULong how;
} functions[FUNCTIONS_MOST];
static UInt count;

Bool judge_calls(Addr function, ULong how) {
    if (count == FUNCTIONS_MOST) return False;
    functions[count].function = function;
    functions[count++].how = how;
    return True;
}

static ULong how_of(Addr function) {
    for (UInt i = 0; i < count; i++)
        if (functions[i].function == function) return functions[i].how;
    return 0;
}

/* ---- noted ones ---- */

struct noted {
    ULong bits[REGISTERS];
    UInt tags[REGISTERS];
};
static struct noted *noted; /* by thread */

/* Called at the begin of a function that asks for its arguments itself. */
static void note(void) {
    ThreadId thread = VG_(get_running_tid)();
    if (!noted) noted = VG_(calloc)("whence.noted", VG_N_THREADS, sizeof *noted);
    for (UInt i = 0; i < REGISTERS; i++) {
        VG_(get_shadow_regs_area)(thread, (UChar *)&noted[thread].bits[i], 1, registers[i], 8);
        VG_(get_shadow_regs_area)(thread, (UChar *)&noted[thread].tags[i], 2, registers[i], 4);
    }
}

Bool noted_argument(ThreadId thread, UInt number, UWord *bits_and_tag) {
    if (!noted || number >= REGISTERS) return False;
    bits_and_tag[0] = noted[thread].bits[number];
    bits_and_tag[1] = noted[thread].tags[number];
    return bits_and_tag[0] != 0;
}

/* ---- code ---- */

static void call_note(struct block *block) {
    IRDirty *call = unsafeIRDirty_0_N(0, "note", VG_(fnptr_to_fnentry)(&note), mkIRExprVec_0());
    call->nFxState = 1;
    VG_(memset)(&call->fxState, 0, sizeof call->fxState);
    call->fxState[0].fx = Ifx_Read;
    call->fxState[0].offset = (UShort)(block->layout->total_sizeB + registers[0]);
    call->fxState[0].size = 8;
    addStmtToIRSB(block->out, IRStmt_Dirty(call));
}

static void judge_register(struct block *block, Int from, ULong bytes, ULong kind) {
    IRExpr *value = put(block, Ity_I64, IRExpr_Get(from, Ity_I64));
    IRExpr *bits = put(block, Ity_I64, IRExpr_Get(block->layout->total_sizeB + from, Ity_I64));
    if (bytes == 4) {
        value = binop(block, Ity_I64, Iop_And64, value, word(0xffffffff));
        bits = binop(block, Ity_I64, Iop_And64, bits, word(0xffffffff));
    }
    call_use(block, value, bits, tag_of_register(block, from), kind);
}

/* Whether a block makes the result of a call the first argument of another. */
static Bool passes_result(const struct block *block) {
    Bool is_result[block->temporaries + 1], passes = False;
    VG_(memset)(is_result, 0, sizeof is_result);
    for (Int i = 0; i < block->in->stmts_used; i++) {
        const IRStmt *statement = block->in->stmts[i];
        const IRExpr *value = statement->tag == Ist_WrTmp ? statement->Ist.WrTmp.data
                              : statement->tag == Ist_Put ? statement->Ist.Put.data
                                                          : NULL;
        if (!value) continue;
        Bool is = False;
        if (value->tag == Iex_Get) is = value->Iex.Get.offset == RESULT;
        if (value->tag == Iex_RdTmp) is = is_result[value->Iex.RdTmp.tmp];
        if (value->tag == Iex_Unop && value->Iex.Unop.arg->tag == Iex_RdTmp)
            is = is_result[value->Iex.Unop.arg->Iex.RdTmp.tmp];
        if (statement->tag == Ist_WrTmp)
            is_result[statement->Ist.WrTmp.tmp] = is;
        else if (statement->Ist.Put.offset == registers[0])
            passes = is;
    }
    return passes;
}

/* The C library itself ends the process with what `main` has returned. */
void pass_status(struct block *block) {
    const IRSB *in = block->in;
    if (in->jumpkind != Ijk_Call || in->next->tag != Iex_Const) return;
    ULong how = how_of(in->next->Iex.Const.con->Ico.U64);
    if ((how & 0xf) != WHENCE_JUDGED_STATUS || !passes_result(block)) return;
    IRExpr *bits = put(block, Ity_I64, IRExpr_Get(block->layout->total_sizeB + RESULT, Ity_I64));
    put_bits(block, registers[0], bits, tag_of_register(block, RESULT));
}

void judge_arguments(struct block *block) {
    ULong how = how_of(block->begin);
    if ((how & 0xf) == WHENCE_JUDGED_NOTED) {
        call_note(block);
        return;
    }
    for (UInt i = 0; i < REGISTERS; i++, how >>= 4) {
        ULong bytes = how & 0xf;
        if (bytes == WHENCE_JUDGED_STATUS)
            judge_register(block, registers[i], 4, WHENCE_USE_STATUS);
        else if (bytes)
            judge_register(block, registers[i], bytes, WHENCE_USE_ARGUMENT);
    }
}
