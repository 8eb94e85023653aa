/* The looks at the state bytes of accesses.
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

/* ---- what they find ---- */

static UChar state(Addr address) {
    return *(volatile UChar *)((address >> 3) + WHENCE_STATE_OFFSET);
}

/* How many leading bytes of a granule are open. */
static UInt opened(UChar value) { return value == 0 ? GRANULE : value < GRANULE ? value : 0; }

/* The first byte of a range that is closed, or its end. */
static Addr first_closed(Addr address, SizeT size) {
    Addr end = address + size;
    while (address < end) {
        Addr granule = address & ~(Addr)(GRANULE - 1), open = granule + opened(state(address));
        if (address >= open) return address;
        if (open != granule + GRANULE) return open < end ? open : end;
        address = granule + GRANULE;
    }
    return end;
}

/* Vector code reads whole aligned vectors that hold the first or last bytes of a block; so do
 * functions on texts, a word at a time. The bytes that it does not want hurt nobody. */
static Bool is_aligned_read(const struct access *access, Addr closed) {
    if (access->write || access->size < GRANULE || access->address % access->size) return False;
    if (closed > access->address) return True;
    Addr end = access->address + access->size;
    while (closed < end && !opened(state(closed))) closed += GRANULE;
    return closed < end;
}

void look(Addr address, HWord size_and_write, Addr pc) {
    struct access *mine = &accesses[VG_(get_running_tid)()];
    SizeT size = size_and_write >> 1;
    Addr closed = first_closed(address, size);
    if (closed == address + size) return;
    mine->address = address;
    mine->size = size;
    mine->write = size_and_write & 1;
    mine->pc = pc;
    mine->kind = WHENCE_MET_ACCESS;
    if (is_aligned_read(mine, closed)) return;
    keep_begin(VG_(get_running_tid)());
    /* What a wrong access reads is no news; the bytes that it may read stay what they are. */
    for (Addr end = address + size; closed < end;
         closed = first_closed(closed + 1, end - closed - 1))
        define_bits(closed, 1);
    stop(mine);
}

/* ---- the code that looks ---- */

static IRType type_of(SizeT granules) {
    return granules > 4 ? Ity_I64 : granules > 2 ? Ity_I32 : granules > 1 ? Ity_I16 : Ity_I8;
}

/* The states of so many granules from that of an address on, as a word. */
static IRExpr *states(struct block *block, IRExpr *address, SizeT granules) {
    IRExpr *granule = put(block, Ity_I64, IRExpr_Binop(Iop_Shr64, address, byte_of(3)));
    IRExpr *at = put(block, Ity_I64, IRExpr_Binop(Iop_Add64, granule, word(WHENCE_STATE_OFFSET)));
    IRType type = type_of(granules);
    IRExpr *loaded = put(block, type, IRExpr_Load(Iend_LE, type, at));
    if (type == Ity_I64) return loaded;
    IROp widen = type == Ity_I32 ? Iop_32Uto64 : type == Ity_I16 ? Iop_16Uto64 : Iop_8Uto64;
    return put(block, Ity_I64, IRExpr_Unop(widen, loaded));
}

/* Whether an address is the stack pointer's and a constant: then it is the compiler's own. */
Bool is_stack(const struct block *block, const IRExpr *address) {
    return address->tag == Iex_RdTmp && block->by_stack[address->Iex.RdTmp.tmp];
}

IRExpr *states_of(struct block *block, IRExpr *address, SizeT size) {
    if (!size || address->tag == Iex_Const || is_stack(block, address)) return NULL;
    SizeT granules = (size + GRANULE - 1) / GRANULE;
    IRExpr *found = states(block, address, granules > 8 ? 8 : granules);
    if (size == 1) return found;
    IRExpr *last = binop(block, Ity_I64, Iop_Add64, address, word(size - 1));
    return binop(block, Ity_I64, Iop_Or64, found, states(block, last, 1));
}

void check(struct block *block, IRExpr *address, SizeT size, Bool write, IRExpr *guard) {
    IRExpr *found = states_of(block, address, size);
    if (!found) return;
    IRExpr *some = put(block, Ity_I1, IRExpr_Binop(Iop_CmpNE64, found, word(0)));
    if (guard) {
        IRExpr *both = put(block, Ity_I32, IRExpr_Unop(Iop_1Uto32, some));
        IRExpr *other = put(block, Ity_I32, IRExpr_Unop(Iop_1Uto32, guard));
        IRExpr *all = put(block, Ity_I32, IRExpr_Binop(Iop_And32, both, other));
        some = put(block, Ity_I1, IRExpr_Unop(Iop_32to1, all));
    }
    IRExpr **arguments = mkIRExprVec_3(address, word(size << 1 | (write ? 1 : 0)), block->pc);
    IRDirty *call = unsafeIRDirty_0_N(0, "look", VG_(fnptr_to_fnentry)(&look), arguments);
    call->guard = some;
    call->mFx = write ? Ifx_Write : Ifx_Read;
    call->mAddr = address;
    call->mSize = (Int)size;
    addStmtToIRSB(block->out, IRStmt_Dirty(call));
}

/* Whether an instruction that reads memory exchanges it, too. */
Bool exchanges(const IRSB *in, Int at, const IRExpr *address) {
    for (at++; at < in->stmts_used && in->stmts[at]->tag != Ist_IMark; at++) {
        const IRStmt *statement = in->stmts[at];
        if (statement->tag == Ist_CAS && eqIRAtom(statement->Ist.CAS.details->addr, address))
            return True;
    }
    return False;
}

void check_statement(struct block *block, Int place) {
    IRSB *out = block->out;
    const IRSB *in = block->in;
    const IRStmt *statement = in->stmts[place];
    switch (statement->tag) {
    case Ist_WrTmp: {
        const IRExpr *value = statement->Ist.WrTmp.data;
        if (value->tag == Iex_Load)
            check(block, value->Iex.Load.addr, sizeofIRType(value->Iex.Load.ty),
                  exchanges(in, place, value->Iex.Load.addr), NULL);
        break;
    }
    case Ist_Store: {
        IRType type = typeOfIRExpr(out->tyenv, statement->Ist.Store.data);
        check(block, statement->Ist.Store.addr, sizeofIRType(type), True, NULL);
        break;
    }
    case Ist_StoreG: {
        const IRStoreG *store = statement->Ist.StoreG.details;
        IRType type = typeOfIRExpr(out->tyenv, store->data);
        check(block, store->addr, sizeofIRType(type), True, store->guard);
        break;
    }
    case Ist_LoadG: {
        const IRLoadG *load = statement->Ist.LoadG.details;
        IRType result, type;
        typeOfIRLoadGOp(load->cvt, &result, &type);
        check(block, load->addr, sizeofIRType(type), False, load->guard);
        break;
    }
    case Ist_CAS: {
        const IRCAS *exchange = statement->Ist.CAS.details;
        SizeT size = sizeofIRType(typeOfIRExpr(out->tyenv, exchange->dataLo));
        check(block, exchange->addr, exchange->dataHi ? 2 * size : size, True, NULL);
        break;
    }
    case Ist_Dirty: {
        const IRDirty *call = statement->Ist.Dirty.details;
        if (call->mFx != Ifx_None)
            check(block, call->mAddr, (SizeT)call->mSize, call->mFx != Ifx_Read, call->guard);
        break;
    }
    default: break;
    }
}
