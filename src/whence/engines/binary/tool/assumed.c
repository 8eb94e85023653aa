/* Blocks that take their values for defined, and what all blocks do to the planes.
 *
 * Copyright (C) the authors of whence.
 *
 * This program is free software; you can redistribute it and/or modify it under the terms of the
 * GNU General Public License as published by the Free Software Foundation; either version 2 of the
 * License, or (at your option) any later version. It is a program of its own, linked with
 * Valgrind's core and no part of whence's library; the file LICENSE beside it says more.
 *
 * Few blocks ever meet an undefined value. So a block looks only where values come in: at the
 * registers that it reads, as it begins, and at what it loads. All else is defined then, and so is
 * what it stores. Where a bit is undefined, or an access may be wrong, the block is left before the
 * instruction; the core forgets its translation, and the next one follows undefined bits
 * (follow.c).
 */
#include "tool.h"

/* Leaves the block before its instruction if a word is not 0. No function is called: that would
 * take registers of the processor from the block. */
static void leave_if(struct block *block, IRExpr *found) {
    if (is_no_bits(found)) return;
    IRExpr *guard = unop(block, Ity_I1, Iop_CmpNEZ64, found);
    if (!block->left_at)
        addStmtToIRSB(block->out, IRStmt_Put(offsetof(VexGuestAMD64State, guest_CMLEN), word(1)));
    if (block->left_at != block->at)
        addStmtToIRSB(block->out,
                      IRStmt_Put(offsetof(VexGuestAMD64State, guest_CMSTART), block->pc));
    block->left_at = block->at;
    addStmtToIRSB(block->out, IRStmt_Exit(guard, Ijk_InvalICache, IRConst_U64(block->at),
                                          offsetof(VexGuestAMD64State, guest_RIP)));
}

/* ---- places in the planes ---- */

/* So near to an address that there may be memory, each number is on its side of where an exclusive
 * or is no sum. */
#define DISTANCE_MOST (1ll << 15)

IRExpr *place_behind(struct block *block, IRExpr *address, Long distance) {
    if (address->tag == Iex_Const)
        return word(VALUES_OF(address->Iex.Const.con->Ico.U64) + (ULong)distance);
    IRTemp temporary = address->Iex.RdTmp.tmp;
    if (temporary < (IRTemp)block->temporaries && block->bases[temporary] != IRTemp_INVALID) {
        distance += block->distances[temporary];
        temporary = block->bases[temporary];
    }
    Bool is_old = temporary < (IRTemp)block->temporaries;
    IRTemp flipped = is_old ? block->places[temporary] : IRTemp_INVALID;
    if (flipped == IRTemp_INVALID)
        flipped =
            binop(block, Ity_I64, Iop_Xor64, IRExpr_RdTmp(temporary), word(WHENCE_VALUES_FLIP))
                ->Iex.RdTmp.tmp;
    if (is_old) block->places[temporary] = flipped;
    return binop(block, Ity_I64, Iop_Add64, IRExpr_RdTmp(flipped),
                 word(WHENCE_VALUES_SKEW + (ULong)distance));
}

IRExpr *place(struct block *block, IRExpr *address) { return place_behind(block, address, 0); }

/* What is a base and a distance, which the exclusive or leaves alone. */
void note_base(struct block *block, IRTemp to, const IRExpr *value) {
    if (value->tag != Iex_Binop || value->Iex.Binop.arg1->tag != Iex_RdTmp ||
        value->Iex.Binop.arg2->tag != Iex_Const ||
        (value->Iex.Binop.op != Iop_Add64 && value->Iex.Binop.op != Iop_Sub64))
        return;
    IRTemp from = value->Iex.Binop.arg1->Iex.RdTmp.tmp;
    Long distance = (Long)value->Iex.Binop.arg2->Iex.Const.con->Ico.U64;
    if (value->Iex.Binop.op == Iop_Sub64) distance = -distance;
    if (block->bases[from] != IRTemp_INVALID) {
        distance += block->distances[from];
        from = block->bases[from];
    }
    if (distance > DISTANCE_MOST || distance < -DISTANCE_MOST) return;
    block->bases[to] = from;
    block->distances[to] = distance;
}

/* The same if a guard holds, else a place that nobody reads: the core's translator has guarded
 * stores of some sizes alone. */
IRExpr *place_if(struct block *block, IRExpr *address, Long distance, IRExpr *guard) {
    static UChar nobodys[64];
    IRExpr *at = place_behind(block, address, distance);
    if (!guard || guard->tag == Iex_Const) return at;
    return put(block, Ity_I64, IRExpr_ITE(guard, at, word((Addr)nobodys)));
}

static IRExpr *loaded(struct block *block, IRType type, IRExpr *at) {
    return some(block, put(block, type, IRExpr_Load(Iend_LE, type, at)));
}

/* The undefined bits of some bytes, as a word that is 0 if there are none. */
static IRExpr *bits_in_memory(struct block *block, IRExpr *address, SizeT size) {
    IRExpr *found = word(0);
    for (SizeT done = 0; done < size;) {
        SizeT left = size - done;
        IRType type = left >= 8 ? Ity_I64 : left >= 4 ? Ity_I32 : left >= 2 ? Ity_I16 : Ity_I8;
        IRExpr *part = loaded(block, type, place_behind(block, address, (Long)done));
        found = done ? binop(block, Ity_I64, Iop_Or64, found, part) : part;
        done += (SizeT)sizeofIRType(type);
    }
    return found;
}

/* Whether the plane has a place for an address at which memory is: 2 bits of the address's highest
 * digit, as a number of bits, say so. */
#define DIGIT 44
#define FOLLOWED_DIGITS (1ull << (WHENCE_VALUES_BEGIN >> DIGIT) | 1)

IRExpr *is_followed_here(struct block *block, IRExpr *address) {
    IRExpr *digit =
        unop(block, Ity_I8, Iop_64to8, binop(block, Ity_I64, Iop_Shr64, address, byte_of(DIGIT)));
    return unop(block, Ity_I1, Iop_64to1,
                binop(block, Ity_I64, Iop_Shr64, word(FOLLOWED_DIGITS), digit));
}

/* The largest type of no more bytes than are left. */
static IRType widest(SizeT left) {
    return left >= 32   ? Ity_V256
           : left >= 16 ? Ity_V128
           : left >= 8  ? Ity_I64
           : left >= 4  ? Ity_I32
           : left >= 2  ? Ity_I16
                        : Ity_I8;
}

static void store_none(struct block *block, IRExpr *address, SizeT size, IRExpr *guard) {
    /* The runtime writes its own planes, too. */
    if (is_own(block->at)) guard = is_followed_here(block, address);
    note_writer(block, address, size, guard);
    for (SizeT done = 0; done < size;) {
        IRType type = widest(size - done);
        addStmtToIRSB(block->out, IRStmt_Store(Iend_LE, place_if(block, address, (Long)done, guard),
                                               no_bits(type)));
        done += (SizeT)sizeofIRType(type);
    }
}

/* ---- the stack ---- */

/* More is left to a function. */
#define INLINE_MOST 256

/* Bytes below the stack pointer that a function may use: what it has written there stays. */
#define RED_ZONE 128

static void undefine_frame(Addr low, Addr high, UInt tag) { undefine_stack(low, high, tag); }

static void undefine_here(struct block *block, IRExpr *low, Long size, UInt tag) {
    IRExpr *at = binop(block, Ity_I64, Iop_Xor64, low, word(WHENCE_VALUES_FLIP));
    Long done = 0;
    while (size - done >= 16) {
        addStmtToIRSB(block->out, IRStmt_Store(Iend_LE,
                                               binop(block, Ity_I64, Iop_Add64, at,
                                                     word(WHENCE_VALUES_SKEW + (ULong)done)),
                                               IRExpr_Const(IRConst_V128(0xffff))));
        done += 16;
    }
    if (size - done >= 8)
        addStmtToIRSB(block->out, IRStmt_Store(Iend_LE,
                                               binop(block, Ity_I64, Iop_Add64, at,
                                                     word(WHENCE_VALUES_SKEW + (ULong)done)),
                                               word(~0ull)));
    IRExpr *half = binop(block, Ity_I64, Iop_Shr64, low, byte_of(1));
    IRExpr *flipped = binop(block, Ity_I64, Iop_Xor64, half, word(WHENCE_TAGS_FLIP));
    for (done = 0; done < size; done += 16) {
        Bool two = size - done >= 16;
        IRExpr *both = two ? word((ULong)tag << 32 | tag) : IRExpr_Const(IRConst_U32(tag));
        IRExpr *to =
            binop(block, Ity_I64, Iop_Add64, flipped, word(WHENCE_TAGS_SKEW + (ULong)done / 2));
        addStmtToIRSB(block->out, IRStmt_Store(Iend_LE, to, both));
    }
}

/* Marks what the moves of the stack pointer since the last time have left below its red zone. */
static void flush_stack(struct block *block) {
    Long size = block->lowered;
    if (!size) return;
    block->lowered = 0;
    UInt tag = tag_of_place(block->lowered_at);
    IRExpr *low = binop(block, Ity_I64, Iop_Sub64, block->pointer, word(RED_ZONE));
    if (size <= INLINE_MOST) {
        undefine_here(block, low, size, tag);
        return;
    }
    IRExpr *high = binop(block, Ity_I64, Iop_Add64, block->pointer, word((ULong)size));
    IRDirty *call = unsafeIRDirty_0_N(
        0, "undefine_frame", VG_(fnptr_to_fnentry)(&undefine_frame),
        mkIRExprVec_3(low, binop(block, Ity_I64, Iop_Sub64, high, word(RED_ZONE)), word(tag)));
    addStmtToIRSB(block->out, IRStmt_Dirty(call));
}

/* Moves that follow each other are marked together, where nothing may see the difference: pushes
 * write above what is not marked yet. */
void before_statement(struct block *block, Int at) {
    const IRStmt *statement = block->in->stmts[at];
    if (!block->lowered) return;
    switch (statement->tag) {
    case Ist_Store:
        if (block->lowered > RED_ZONE || !eqIRAtom(statement->Ist.Store.addr, block->pointer))
            flush_stack(block);
        break;
    case Ist_WrTmp:
        if (statement->Ist.WrTmp.data->tag == Iex_Load) flush_stack(block);
        break;
    case Ist_LoadG:
    case Ist_StoreG:
    case Ist_CAS:
    case Ist_Dirty:
    case Ist_Exit: flush_stack(block); break;
    default: break;
    }
}

void after_statements(struct block *block) { flush_stack(block); }

void mark_stack(struct block *block, Int at) {
    IRExpr *pointer = block->in->stmts[at]->Ist.Put.data;
    if (pointer->tag != Iex_RdTmp) return;
    IRTemp temporary = pointer->Iex.RdTmp.tmp;
    if (block->by_stack[temporary]) {
        Long below = block->below[temporary];
        if (below > 0 || below % 8) flush_stack(block);
        /* All are at a distance from the new one now. */
        for (Int i = 0; i < block->temporaries; i++) block->below[i] -= below;
        block->pointer = pointer;
        if (below < 0 && below % 8 == 0) {
            block->lowered -= below;
            block->lowered_at = block->at;
        }
        return;
    }
    flush_stack(block);
    /* What is no distance from it is an array of a size that is not constant, or aligned; or a
     * frame that was left, or another stack. */
    Bool is_computed = block->by_stack[block->temporaries + (Int)temporary];
    for (Int i = 0; i < block->temporaries; i++) block->by_stack[i] = False;
    block->by_stack[temporary] = True;
    block->below[temporary] = 0;
    if (!is_computed) return;
    IRExpr *old = put(block, Ity_I64, IRExpr_Get(block->stack_pointer, Ity_I64));
    IRExpr *low = binop(block, Ity_I64, Iop_Sub64, pointer, word(RED_ZONE));
    IRDirty *call = unsafeIRDirty_0_N(0, "undefine_frame", VG_(fnptr_to_fnentry)(&undefine_frame),
                                      mkIRExprVec_3(low, old, word(tag_of_place(block->at))));
    call->guard = binop(block, Ity_I1, Iop_CmpLT64U, pointer, old);
    addStmtToIRSB(block->out, IRStmt_Dirty(call));
}

static void undefine_zone(Addr low, Addr function) {
    undefine_stack(low, low + RED_ZONE, tag_of_place(function));
}

/* A call leaves what lies below its return address undefined: the function's own. */
void mark_call(struct block *block, Int at) {
    const IRStmt *hint = block->in->stmts[at];
    IRExpr *function = hint->Ist.AbiHint.nia, *low = hint->Ist.AbiHint.base;
    /* There is one at a return, too. */
    if (function->tag != Iex_Const && block->in->jumpkind != Ijk_Call) return;
    if (block->lowered > RED_ZONE) flush_stack(block);
    block->lowered = 0; /* it is a part of that */
    if (function->tag == Iex_Const) {
        undefine_here(block, low, RED_ZONE, tag_of_place(function->Iex.Const.con->Ico.U64));
        return;
    }
    IRDirty *call = unsafeIRDirty_0_N(0, "undefine_zone", VG_(fnptr_to_fnentry)(&undefine_zone),
                                      mkIRExprVec_2(low, function));
    addStmtToIRSB(block->out, IRStmt_Dirty(call));
}

/* ---- registers ---- */

Bool is_always_defined(const struct block *block, Int offset, Int size) {
    const VexGuestLayout *layout = block->layout;
    for (Int i = 0; i < layout->n_alwaysDefd; i++)
        if (offset >= layout->alwaysDefd[i].offset &&
            offset + size <= layout->alwaysDefd[i].offset + layout->alwaysDefd[i].size)
            return True;
    return False;
}

static Bool is_settled(const struct block *block, Int offset, Int size) {
    for (Int i = offset; i < offset + size; i++)
        if (!block->settled[i]) return False;
    return True;
}

static void note_settled(struct block *block, Int offset, Int size) {
    for (Int i = offset; i < offset + size; i++) block->settled[i] = 1;
}

static void put_none(struct block *block, Int offset, Int size) {
    if (is_always_defined(block, offset, size) || is_settled(block, offset, size)) return;
    note_settled(block, offset, size);
    for (Int done = 0; done < size;) {
        IRType type = widest((SizeT)(size - done));
        addStmtToIRSB(block->out,
                      IRStmt_Put(block->layout->total_sizeB + offset + done, no_bits(type)));
        done += sizeofIRType(type);
    }
}

static void put_none_indexed(struct block *block, const IRPutI *details) {
    IRRegArray *array = details->descr;
    IRType type = type_of_bits(array->elemTy);
    if (is_always_defined(block, array->base, array->nElems * sizeofIRType(array->elemTy))) return;
    IRRegArray *shadow =
        mkIRRegArray(block->layout->total_sizeB + array->base, type, array->nElems);
    addStmtToIRSB(block->out,
                  IRStmt_PutI(mkIRPutI(shadow, details->ix, details->bias, no_bits(type))));
}

static void each_written(struct block *block, const IRDirty *call,
                         void (*function)(struct block *, Int, Int)) {
    for (Int i = 0; i < call->nFxState; i++) {
        if (call->fxState[i].fx == Ifx_Read) continue;
        for (Int j = 0; j <= call->fxState[i].nRepeats; j++)
            function(block, call->fxState[i].offset + j * call->fxState[i].repeatLen,
                     call->fxState[i].size);
    }
}

/* ---- what comes in ---- */

struct incoming {
    struct block *block;
    IRExpr *found;
};

static void comes_in(struct incoming *incoming, Int offset, Int size) {
    struct block *block = incoming->block;
    if (is_always_defined(block, offset, size)) return;
    for (Int at = offset; at < offset + size;) {
        Int left = offset + size - at;
        IRType type = left >= 8 && at % 8 == 0   ? Ity_I64
                      : left >= 4 && at % 4 == 0 ? Ity_I32
                      : left >= 2 && at % 2 == 0 ? Ity_I16
                                                 : Ity_I8;
        Int step = sizeofIRType(type);
        if (!is_settled(block, at, step)) {
            IRExpr *bits =
                some(block, put(block, type, IRExpr_Get(block->layout->total_sizeB + at, type)));
            incoming->found = is_no_bits(incoming->found)
                                  ? bits
                                  : binop(block, Ity_I64, Iop_Or64, incoming->found, bits);
            note_settled(block, at, step);
        }
        at += step;
    }
}

/* Looks at the registers that the block reads before it writes them. */
static void look_at_registers(struct block *block) {
    const IRSB *in = block->in;
    struct incoming incoming = {block, word(0)};
    UChar written[STATE_MOST];
    VG_(memset)(written, 0, sizeof written);
    for (Int i = 0; i < in->stmts_used; i++) {
        const IRStmt *statement = in->stmts[i];
        if (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag == Iex_Get) {
            Int offset = statement->Ist.WrTmp.data->Iex.Get.offset, unwritten = 0;
            Int size = sizeofIRType(statement->Ist.WrTmp.data->Iex.Get.ty);
            for (Int j = offset; j < offset + size; j++) unwritten |= !written[j];
            if (unwritten) comes_in(&incoming, offset, size);
        } else if (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag == Iex_GetI) {
            const IRRegArray *array = statement->Ist.WrTmp.data->Iex.GetI.descr;
            comes_in(&incoming, array->base, array->nElems * sizeofIRType(array->elemTy));
        } else if (statement->tag == Ist_Put) {
            IRType type = typeOfIRExpr(in->tyenv, statement->Ist.Put.data);
            VG_(memset)(written + statement->Ist.Put.offset, 1, (SizeT)sizeofIRType(type));
        } else if (statement->tag == Ist_Dirty) {
            const IRDirty *call = statement->Ist.Dirty.details;
            for (Int j = 0; j < call->nFxState; j++)
                for (Int k = 0; call->fxState[j].fx != Ifx_Write && k <= call->fxState[j].nRepeats;
                     k++)
                    comes_in(&incoming, call->fxState[j].offset + k * call->fxState[j].repeatLen,
                             call->fxState[j].size);
        }
    }
    leave_if(block, incoming.found);
}

/* ---- statements ---- */

/* A load may be wrong, or bring in undefined bits. */
static void look_at_load(struct block *block, IRExpr *address, SizeT size) {
    IRExpr *found = bits_in_memory(block, address, size), *states = states_of(block, address, size);
    if (states) found = binop(block, Ity_I64, Iop_Or64, found, states);
    leave_if(block, found);
}

static void settle_dirty(struct block *block, const IRDirty *call) {
    each_written(block, call, put_none);
    if (call->mFx == Ifx_Write || call->mFx == Ifx_Modify)
        store_none(block, call->mAddr, (SizeT)call->mSize, call->guard);
}

static Bool is_load(const IRStmt *statement) {
    return statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag == Iex_Load;
}

/* What is behind a statement, in a block whose values are defined. */
static void write_none(struct block *block, Int at) {
    const IRStmt *statement = block->in->stmts[at];
    const IRTypeEnv *types = block->out->tyenv;
    switch (statement->tag) {
    case Ist_Store:
        store_none(block, statement->Ist.Store.addr,
                   (SizeT)sizeofIRType(typeOfIRExpr(types, statement->Ist.Store.data)), NULL);
        break;
    case Ist_StoreG: {
        const IRStoreG *store = statement->Ist.StoreG.details;
        store_none(block, store->addr, (SizeT)sizeofIRType(typeOfIRExpr(types, store->data)),
                   store->guard);
        break;
    }
    case Ist_CAS: {
        const IRCAS *exchange = statement->Ist.CAS.details;
        SizeT size = (SizeT)sizeofIRType(typeOfIRExpr(types, exchange->dataLo));
        store_none(block, exchange->addr, exchange->dataHi ? 2 * size : size, NULL);
        break;
    }
    case Ist_Put:
        put_none(block, statement->Ist.Put.offset,
                 sizeofIRType(typeOfIRExpr(types, statement->Ist.Put.data)));
        break;
    case Ist_PutI: put_none_indexed(block, statement->Ist.PutI.details); break;
    case Ist_Dirty: settle_dirty(block, statement->Ist.Dirty.details); break;
    default: break;
    }
}

/* Whether a statement passes on a value that is carried. */
static Bool carry(struct block *block, const Bool *carried, const IRStmt *statement) {
    const IRExpr *value = statement->tag == Ist_Store ? statement->Ist.Store.data
                          : statement->tag == Ist_Put ? statement->Ist.Put.data
                                                      : NULL;
    if (!value || value->tag != Iex_RdTmp || !carried[value->Iex.RdTmp.tmp]) return False;
    if (statement->tag == Ist_Store) {
        follow_store(block, statement);
        return True;
    }
    Int offset = statement->Ist.Put.offset;
    put_bits(block, offset, bits_of(block, value), tag_of(block, value));
    VG_(memset)(block->settled + offset, 0,
                (SizeT)sizeofIRType(typeOfIRExpr(block->out->tyenv, value)));
    return True;
}

void assume(struct block *block) {
    const IRSB *in = block->in;
    Bool begun = False, carried[block->temporaries + 1];
    VG_(memset)(carried, 0, sizeof carried);
    find_carried(block, carried);
    for (Int i = 0; i < in->stmts_used; i++) {
        IRStmt *statement = in->stmts[i];
        if (statement->tag == Ist_NoOp) continue;
        if (statement->tag == Ist_IMark) {
            enter(block, statement);
            if (!begun) look_at_registers(block);
            begun = True;
            continue;
        }
        before_statement(block, i);
        if (is_load(statement)) {
            IRExpr *load = statement->Ist.WrTmp.data;
            SizeT size = (SizeT)sizeofIRType(load->Iex.Load.ty);
            if (carried[statement->Ist.WrTmp.tmp]) {
                leave_if(block, states_of(block, load->Iex.Load.addr, size));
                follow_value(block, statement->Ist.WrTmp.tmp, load);
            } else {
                look_at_load(block, load->Iex.Load.addr, size);
            }
        } else if (statement->tag == Ist_Store) {
            IRType type = typeOfIRExpr(block->out->tyenv, statement->Ist.Store.data);
            leave_if(block, states_of(block, statement->Ist.Store.addr, (SizeT)sizeofIRType(type)));
        } else {
            check_statement(block, i);
        }
        if (statement->tag == Ist_LoadG) {
            const IRLoadG *load = statement->Ist.LoadG.details;
            IRType result, type;
            typeOfIRLoadGOp(load->cvt, &result, &type);
            IRTemp bits = newIRTemp(block->out->tyenv, result);
            addStmtToIRSB(block->out,
                          IRStmt_LoadG(Iend_LE, load->cvt, bits, place(block, load->addr),
                                       no_bits(result), load->guard));
            leave_if(block, some(block, IRExpr_RdTmp(bits)));
        } else if (statement->tag == Ist_CAS) {
            const IRCAS *exchange = statement->Ist.CAS.details;
            SizeT size = (SizeT)sizeofIRType(typeOfIRExpr(block->out->tyenv, exchange->dataLo));
            leave_if(block,
                     bits_in_memory(block, exchange->addr, exchange->dataHi ? 2 * size : size));
        } else if (statement->tag == Ist_Dirty) {
            const IRDirty *call = statement->Ist.Dirty.details;
            if ((call->mFx == Ifx_Read || call->mFx == Ifx_Modify) && call->guard->tag == Iex_Const)
                leave_if(block, bits_in_memory(block, call->mAddr, (SizeT)call->mSize));
        } else if (statement->tag == Ist_Put && statement->Ist.Put.offset == block->stack_pointer) {
            mark_stack(block, i);
        } else if (statement->tag == Ist_AbiHint) {
            mark_call(block, i);
            continue;
        }
        addStmtToIRSB(block->out, statement);
        if (!carry(block, carried, statement) && statement->tag != Ist_CAS) write_none(block, i);
        if (statement->tag == Ist_WrTmp)
            note_stack(block, statement->Ist.WrTmp.tmp, statement->Ist.WrTmp.data);
    }
    after_statements(block);
}

/* ---- code whose values are of no interest ---- */

/* Registers that a function leaves as they were. */
static Bool is_kept(Int offset) {
    return offset == offsetof(VexGuestAMD64State, guest_RBX) ||
           offset == offsetof(VexGuestAMD64State, guest_RBP) ||
           offset == offsetof(VexGuestAMD64State, guest_RSP) ||
           (offset >= (Int)offsetof(VexGuestAMD64State, guest_R12) &&
            offset <= (Int)offsetof(VexGuestAMD64State, guest_R15));
}

/* longjmp and its like load a stack pointer, and with it the registers that functions keep. */
static Bool loads_stack_pointer(const struct block *block, const Bool *is_loaded) {
    const IRSB *in = block->in;
    for (Int i = 0; i < in->stmts_used; i++) {
        const IRStmt *statement = in->stmts[i];
        if (statement->tag == Ist_Put && statement->Ist.Put.offset == block->stack_pointer &&
            statement->Ist.Put.data->tag == Iex_RdTmp &&
            is_loaded[statement->Ist.Put.data->Iex.RdTmp.tmp])
            return True;
    }
    return False;
}

/* Temporaries that depend on loads and not on the stack or frame pointer. */
static void find_loaded(const struct block *block, Bool *is_loaded) {
    const IRSB *in = block->in;
    for (Int i = 0; i < in->stmts_used; i++) {
        const IRStmt *statement = in->stmts[i];
        if (statement->tag != Ist_WrTmp) continue;
        const IRExpr *value = statement->Ist.WrTmp.data;
        Bool *to = &is_loaded[statement->Ist.WrTmp.tmp];
        if (value->tag == Iex_Load) *to = True;
        if (value->tag == Iex_Get) {
            Int offset = value->Iex.Get.offset;
            *to = offset != block->stack_pointer && offset != block->layout->offset_FP;
        }
        if (value->tag == Iex_Unop && value->Iex.Unop.arg->tag == Iex_RdTmp)
            *to = is_loaded[value->Iex.Unop.arg->Iex.RdTmp.tmp];
        if (value->tag == Iex_Binop && value->Iex.Binop.arg1->tag == Iex_RdTmp)
            *to = is_loaded[value->Iex.Binop.arg1->Iex.RdTmp.tmp];
    }
}

/* Registers in which functions get arguments. */
static Bool is_argument(Int offset) {
    static const Int general[] = {
        offsetof(VexGuestAMD64State, guest_RDI), offsetof(VexGuestAMD64State, guest_RSI),
        offsetof(VexGuestAMD64State, guest_RDX), offsetof(VexGuestAMD64State, guest_RCX),
        offsetof(VexGuestAMD64State, guest_R8),  offsetof(VexGuestAMD64State, guest_R9)};
    for (UInt i = 0; i < sizeof general / sizeof *general; i++)
        if (offset == general[i]) return True;
    return offset >= (Int)offsetof(VexGuestAMD64State, guest_YMM0) &&
           offset < (Int)offsetof(VexGuestAMD64State, guest_YMM8);
}

/* The runtime's functions look at arguments that va_arg takes from memory. */
static Bool keep_argument(struct block *block, const IRStmt *statement) {
    if (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag == Iex_Get) {
        const IRExpr *value = statement->Ist.WrTmp.data;
        Int size = sizeofIRType(value->Iex.Get.ty);
        if (size >= 8 && is_argument(value->Iex.Get.offset) &&
            !is_settled(block, value->Iex.Get.offset, size))
            follow_value(block, statement->Ist.WrTmp.tmp, statement->Ist.WrTmp.data);
    }
    return statement->tag == Ist_Store && statement->Ist.Store.data->tag == Iex_RdTmp &&
           block->bits[statement->Ist.Store.data->Iex.RdTmp.tmp] != IRTemp_INVALID;
}

/* The runtime returns: what it has copied is known where it leads back to the program. */
static void returning(Addr to) {
    ThreadId thread = VG_(get_running_tid)();
    if (later[thread] && !is_apart(to)) apply_copies(thread);
}

void settle(struct block *block) {
    const IRSB *in = block->in;
    Bool is_loaded[block->temporaries + 1];
    VG_(memset)(is_loaded, 0, sizeof is_loaded);
    find_loaded(block, is_loaded);
    Bool arrives = loads_stack_pointer(block, is_loaded);
    for (Int i = 0; i < in->stmts_used; i++) {
        IRStmt *statement = in->stmts[i];
        if (statement->tag == Ist_NoOp) continue;
        if (statement->tag == Ist_IMark) {
            enter(block, statement);
            if (block->at == block->begin) judge_arguments(block);
            continue;
        }
        if (statement->tag == Ist_AbiHint) { /* it may call the program, by an address */
            if (statement->Ist.AbiHint.nia->tag != Iex_Const) mark_call(block, i);
            continue;
        }
        Bool passes = is_own(block->at) && keep_argument(block, statement);
        addStmtToIRSB(block->out, statement);
        if (statement->tag == Ist_WrTmp)
            note_stack(block, statement->Ist.WrTmp.tmp, statement->Ist.WrTmp.data);
        if (passes) {
            follow_store(block, statement);
            continue;
        }
        Bool keeps =
            !arrives && statement->tag == Ist_Put && is_kept(statement->Ist.Put.offset & ~7);
        if (!keeps) write_none(block, i);
    }
    pass_status(block);
    if (in->jumpkind != Ijk_Ret || !is_own(block->at)) return;
    IRExpr *waiting = put(block, Ity_I32, IRExpr_Load(Iend_LE, Ity_I32, word((Addr)&copies_wait)));
    IRDirty *call = unsafeIRDirty_0_N(0, "returning", VG_(fnptr_to_fnentry)(&returning),
                                      mkIRExprVec_1(in->next));
    call->guard = unop(block, Ity_I1, Iop_CmpNEZ32, waiting);
    addStmtToIRSB(block->out, IRStmt_Dirty(call));
}
