/* Blocks that follow undefined bits, with the tags of their origins.
 *
 * Copyright (C) the authors of whence.
 *
 * This program is free software; you can redistribute it and/or modify it under the terms of the
 * GNU General Public License as published by the Free Software Foundation; either version 2 of the
 * License, or (at your option) any later version. It is a program of its own, linked with
 * Valgrind's core and no part of whence's library; the file LICENSE beside it says more.
 *
 * Each temporary has one with its undefined bits, and one with the tag of where they come from; so
 * have the registers, in the core's two shadows of its state, of which the second one has a tag for
 * each 8 bytes. A use is reported where a branch, an address or a call depends on an undefined bit.
 */
#include "tool.h"
#include "stops.h"

static IRExpr *no_tag(void) { return IRExpr_Const(IRConst_U32(0)); }

static Bool is_no_tag(const IRExpr *tag) {
    return tag->tag == Iex_Const && !tag->Iex.Const.con->Ico.U32;
}

static IRType type_in(const struct block *block, const IRExpr *value) {
    return type_of_bits(typeOfIRExpr(block->out->tyenv, value));
}

/* Of an atom of the block. */
IRExpr *bits_of(struct block *block, const IRExpr *atom) {
    if (atom->tag == Iex_RdTmp && block->bits[atom->Iex.RdTmp.tmp] != IRTemp_INVALID)
        return IRExpr_RdTmp(block->bits[atom->Iex.RdTmp.tmp]);
    if (atom->tag == Iex_RdTmp || atom->tag == Iex_Const) return no_bits(type_in(block, atom));
    return NULL;
}

IRExpr *tag_of(struct block *block, const IRExpr *atom) {
    if (atom->tag != Iex_RdTmp || block->tags[atom->Iex.RdTmp.tmp] == IRTemp_INVALID)
        return no_tag();
    return IRExpr_RdTmp(block->tags[atom->Iex.RdTmp.tmp]);
}

/* The first tag, if bits of its value are undefined, else the second. */
static IRExpr *first_tag(struct block *block, IRExpr *bits, IRExpr *a, IRExpr *b) {
    if (is_no_bits(bits) || is_no_tag(a)) return b;
    if (is_no_tag(b)) return a;
    IRExpr *is_first = unop(block, Ity_I1, Iop_CmpNEZ64, some(block, bits));
    return put(block, Ity_I32, IRExpr_ITE(is_first, a, b));
}

/* ---- uses ---- */

/* The registers with bits of an origin that was reported count as defined. */
static void settle_tag(ThreadId thread, UInt tag) {
    VexGuestAMD64State bits, tags;
    Int end = offsetof(VexGuestAMD64State, guest_FTOP), most = (Int)sizeof bits;
    VG_(get_shadow_regs_area)(thread, (UChar *)&bits, 1, 0, (SizeT)most);
    VG_(get_shadow_regs_area)(thread, (UChar *)&tags, 2, 0, (SizeT)most);
    for (Int at = offsetof(VexGuestAMD64State, guest_RAX); at + 8 <= end; at += 8) {
        ULong *here = (ULong *)(void *)((UChar *)&bits + at);
        if (*here && *(UInt *)(void *)((UChar *)&tags + at) == tag) *here = 0;
    }
    VG_(set_shadow_regs_area)(thread, 1, 0, (SizeT)end, (UChar *)&bits);
}

/* Called where an undefined bit decides. `how` is the kind of use, and by how much the stack
 * pointer has moved already. */
static void use(VexGuestAMD64State *state, ULong value, ULong bits, ULong how, UInt tag, Addr pc) {
    ThreadId thread = VG_(get_running_tid)();
    struct access *mine = &accesses[thread];
    ULong kind = how & 0xff;
    mine->address = kind;
    mine->pc = pc;
    mine->kind = WHENCE_MET_USE;
    mine->value = value;
    mine->bits = bits;
    mine->tag = tag;
    if (!is_allowed(mine)) {
        keep_begin(thread);
        state->guest_RIP = pc;
        state->guest_RSP += how >> 8;
        stop(mine);
    }
    mine->allowed_pc = 0;
    settle_tag(thread, tag);
}

void call_use(struct block *block, IRExpr *value, IRExpr *bits, IRExpr *tag, ULong how) {
    IRDirty *call =
        unsafeIRDirty_0_N(0, "use", VG_(fnptr_to_fnentry)(&use),
                          mkIRExprVec_6(IRExpr_GSPTR(), value, bits, word(how),
                                        unop(block, Ity_I64, Iop_32Uto64, tag), block->pc));
    call->guard = unop(block, Ity_I1, Iop_CmpNEZ64, bits);
    call->nFxState = 2;
    VG_(memset)(&call->fxState, 0, sizeof call->fxState);
    call->fxState[0].fx = Ifx_Modify;
    call->fxState[0].offset = offsetof(VexGuestAMD64State, guest_RIP);
    call->fxState[0].size = 8;
    call->fxState[1].fx = Ifx_Modify;
    call->fxState[1].offset = offsetof(VexGuestAMD64State, guest_RSP);
    call->fxState[1].size = 8;
    addStmtToIRSB(block->out, IRStmt_Dirty(call));
}

static void judge(struct block *block, const IRExpr *atom, ULong kind, ULong moved) {
    IRExpr *bits = bits_of(block, atom);
    if (is_no_bits(bits)) return;
    call_use(block, some(block, deepCopyIRExpr(atom)), some(block, bits), tag_of(block, atom),
             kind | moved << 8);
    if (atom->tag == Iex_RdTmp) block->bits[atom->Iex.RdTmp.tmp] = IRTemp_INVALID;
}

static void judge_address(struct block *block, const IRExpr *address) {
    if (!block->changed) judge(block, address, WHENCE_USE_ADDRESS, 0);
}

/* ---- memory ---- */

static IRExpr *tag_place(struct block *block, IRExpr *address) {
    if (address->tag == Iex_Const) return word(TAG_OF(address->Iex.Const.con->Ico.U64));
    IRExpr *half = binop(block, Ity_I64, Iop_Shr64, address, byte_of(1));
    IRExpr *whole = binop(block, Ity_I64, Iop_And64, half, word(~3ull));
    IRExpr *flipped = binop(block, Ity_I64, Iop_Xor64, whole, word(WHENCE_TAGS_FLIP));
    return binop(block, Ity_I64, Iop_Add64, flipped, word(WHENCE_TAGS_SKEW));
}

static IRExpr *load_tag(struct block *block, IRExpr *address, IRExpr *guard) {
    IRTemp tag = newIRTemp(block->out->tyenv, Ity_I32);
    addStmtToIRSB(block->out, IRStmt_LoadG(Iend_LE, ILGop_Ident32, tag, tag_place(block, address),
                                           no_tag(), guard));
    return IRExpr_RdTmp(tag);
}

static IRExpr *both_of(struct block *block, IRExpr *a, IRExpr *b) {
    if (!a) return b;
    IRExpr *x = unop(block, Ity_I32, Iop_1Uto32, a), *y = unop(block, Ity_I32, Iop_1Uto32, b);
    return unop(block, Ity_I1, Iop_32to1, binop(block, Ity_I32, Iop_And32, x, y));
}

/* The bits of a temporary, and its tag if some are undefined. */
static void set(struct block *block, IRTemp to, IRExpr *bits, IRExpr *tag) {
    if (is_no_bits(bits)) return;
    block->bits[to] =
        put(block, type_in(block, bits), bits->tag == Iex_RdTmp ? bits : deepCopyIRExpr(bits))
            ->Iex.RdTmp.tmp;
    if (tag && !is_no_tag(tag)) block->tags[to] = put(block, Ity_I32, tag)->Iex.RdTmp.tmp;
}

/* Loads the bits of a range that is no larger than a register, where a tag for each vector of 16
 * bytes is enough: that of its first undefined half. */
static IRExpr *tag_in_memory(struct block *block, IRExpr *address, IRExpr *bits, IRExpr *guard) {
    IRType type = type_in(block, bits);
    if (type != Ity_V128) {
        IRExpr *is = unop(block, Ity_I1, Iop_CmpNEZ64, some(block, bits));
        return load_tag(block, address, both_of(block, guard, is));
    }
    IRExpr *low = unop(block, Ity_I64, Iop_V128to64, bits),
           *high = unop(block, Ity_I64, Iop_V128HIto64, bits);
    IRExpr *first = load_tag(block, address, unop(block, Ity_I1, Iop_CmpNEZ64, low));
    IRExpr *next = binop(block, Ity_I64, Iop_Add64, address, word(8));
    IRExpr *second = load_tag(block, next, unop(block, Ity_I1, Iop_CmpNEZ64, high));
    return first_tag(block, low, first, second);
}

static void store(struct block *block, IRExpr *address, IRExpr *bits, IRExpr *tag, IRExpr *guard) {
    IRType type = type_in(block, bits);
    note_writer(block, address, (SizeT)sizeofIRType(type), guard);
    addStmtToIRSB(block->out, IRStmt_Store(Iend_LE, place_if(block, address, 0, guard), bits));
    if (is_no_bits(bits)) return;
    for (Int done = 0; done < sizeofIRType(type); done += 8) {
        IRExpr *to = done ? binop(block, Ity_I64, Iop_Add64, address, word((ULong)done)) : address;
        IRExpr *is = unop(block, Ity_I1, Iop_CmpNEZ64, some(block, bits));
        addStmtToIRSB(block->out,
                      IRStmt_StoreG(Iend_LE, tag_place(block, to), tag, both_of(block, guard, is)));
    }
}

/* ---- registers ---- */

static IRExpr *get(struct block *block, Int offset, IRType type) {
    type = type_of_bits(type);
    return put(block, type, IRExpr_Get(block->layout->total_sizeB + offset, type));
}

IRExpr *tag_of_register(struct block *block, Int offset) {
    Int at = 2 * block->layout->total_sizeB + (offset & ~7);
    return put(block, Ity_I32, IRExpr_Get(at, Ity_I32));
}

void put_bits(struct block *block, Int offset, IRExpr *bits, IRExpr *tag) {
    if (is_always_defined(block, offset, sizeofIRType(type_in(block, bits)))) return;
    addStmtToIRSB(block->out, IRStmt_Put(block->layout->total_sizeB + offset, bits));
    if (is_no_bits(bits) || is_no_tag(tag)) return;
    Int size = sizeofIRType(type_in(block, bits));
    /* A tag means nothing where all bits are defined, so one of its own needs no look. */
    if (size >= 8 && offset % 8 == 0) {
        for (Int at = offset; at < offset + size; at += 8)
            addStmtToIRSB(block->out, IRStmt_Put(2 * block->layout->total_sizeB + at, tag));
        return;
    }
    IRExpr *is = unop(block, Ity_I1, Iop_CmpNEZ64, some(block, bits));
    for (Int at = offset & ~7; at < offset + sizeofIRType(type_in(block, bits)); at += 8) {
        IRExpr *old = tag_of_register(block, at);
        IRExpr *fresh = put(block, Ity_I32, IRExpr_ITE(is, tag, old));
        addStmtToIRSB(block->out, IRStmt_Put(2 * block->layout->total_sizeB + at, fresh));
    }
}

static IRRegArray *shadow_of(struct block *block, const IRRegArray *array) {
    return mkIRRegArray(block->layout->total_sizeB + array->base, type_of_bits(array->elemTy),
                        array->nElems);
}

static Bool is_array_defined(struct block *block, const IRRegArray *array) {
    return is_always_defined(block, array->base, array->nElems * sizeofIRType(array->elemTy));
}

/* ---- values ---- */

static void follow_arguments(struct block *block, IRExpr **arguments, UInt left_out, IRExpr **bits,
                             IRExpr **tag) {
    *bits = word(0);
    *tag = no_tag();
    for (Int i = 0; arguments[i]; i++) {
        if (left_out >> i & 1 || is_IRExpr_VECRET_or_GSPTR(arguments[i])) continue;
        IRExpr *found = bits_of(block, arguments[i]);
        if (is_no_bits(found)) continue;
        *tag = first_tag(block, *bits, *tag, tag_of(block, arguments[i]));
        *bits = either(block, Ity_I64, *bits, some(block, found));
    }
}

/* An operand from itself: the difference and the exclusive or are defined, whatever it is. */
static Bool cancels(const IRExpr *value) {
    if (!eqIRAtom(value->Iex.Binop.arg1, value->Iex.Binop.arg2)) return False;
    switch (value->Iex.Binop.op) {
    case Iop_Xor8:
    case Iop_Xor16:
    case Iop_Xor32:
    case Iop_Xor64:
    case Iop_XorV128:
    case Iop_XorV256:
    case Iop_Sub8:
    case Iop_Sub16:
    case Iop_Sub32:
    case Iop_Sub64: return True;
    default: return is_equality_of_lanes(value->Iex.Binop.op);
    }
}

void follow_value(struct block *block, IRTemp to, IRExpr *value) {
    IRExpr *bits = NULL, *tag = no_tag();
    IRType type = type_of_bits(typeOfIRTemp(block->out->tyenv, to));
    switch (value->tag) {
    case Iex_RdTmp:
    case Iex_Const:
        bits = bits_of(block, value);
        tag = tag_of(block, value);
        break;
    case Iex_Get:
        if (is_always_defined(block, value->Iex.Get.offset, sizeofIRType(value->Iex.Get.ty)))
            return;
        if (value->Iex.Get.offset == block->stack_pointer) return;
        bits = get(block, value->Iex.Get.offset, value->Iex.Get.ty);
        tag = tag_of_register(block, value->Iex.Get.offset);
        break;
    case Iex_GetI: {
        IRRegArray *array = value->Iex.GetI.descr;
        if (is_array_defined(block, array)) return;
        bits = put(block, type,
                   IRExpr_GetI(shadow_of(block, array), value->Iex.GetI.ix, value->Iex.GetI.bias));
        break;
    }
    case Iex_Load: {
        IRExpr *address = value->Iex.Load.addr;
        bits = put(block, type, IRExpr_Load(Iend_LE, type, place(block, address)));
        tag = tag_in_memory(block, address, bits, NULL);
        break;
    }
    case Iex_Unop: {
        IRExpr *a = value->Iex.Unop.arg;
        bits = bits_of_unop(block, value->Iex.Unop.op, a, bits_of(block, a));
        tag = tag_of(block, a);
        break;
    }
    case Iex_Binop: {
        IRExpr *a = value->Iex.Binop.arg1, *b = value->Iex.Binop.arg2;
        if (cancels(value)) return;
        IRExpr *va = bits_of(block, a), *vb = bits_of(block, b);
        bits = bits_of_binop(block, value->Iex.Binop.op, a, b, va, vb);
        tag = first_tag(block, va, tag_of(block, a), tag_of(block, b));
        break;
    }
    case Iex_Triop: {
        IRTriop *operation = value->Iex.Triop.details;
        IRExpr *v[3] = {bits_of(block, operation->arg1), bits_of(block, operation->arg2),
                        bits_of(block, operation->arg3)};
        bits = bits_of_other(block, operation->op, v, 3);
        tag = first_tag(
            block, v[0], tag_of(block, operation->arg1),
            first_tag(block, v[1], tag_of(block, operation->arg2), tag_of(block, operation->arg3)));
        break;
    }
    case Iex_Qop: {
        IRQop *operation = value->Iex.Qop.details;
        IRExpr *v[4] = {bits_of(block, operation->arg1), bits_of(block, operation->arg2),
                        bits_of(block, operation->arg3), bits_of(block, operation->arg4)};
        bits = bits_of_other(block, operation->op, v, 4);
        tag = first_tag(
            block, v[1], tag_of(block, operation->arg2),
            first_tag(block, v[2], tag_of(block, operation->arg3), tag_of(block, operation->arg4)));
        break;
    }
    case Iex_ITE: {
        IRExpr *condition = value->Iex.ITE.cond, *a = value->Iex.ITE.iftrue,
               *b = value->Iex.ITE.iffalse;
        IRExpr *va = bits_of(block, a), *vb = bits_of(block, b), *vc = bits_of(block, condition);
        if (is_no_bits(va) && is_no_bits(vb) && is_no_bits(vc)) return;
        IRExpr *chosen = is_no_bits(va) && is_no_bits(vb) && va
                             ? no_bits(type)
                             : put(block, type, IRExpr_ITE(condition, va, vb));
        bits = either(block, type, chosen, spread(block, type, vc));
        tag = put(block, Ity_I32, IRExpr_ITE(condition, tag_of(block, a), tag_of(block, b)));
        tag = first_tag(block, vc, tag_of(block, condition), tag);
        break;
    }
    case Iex_CCall: {
        IRExpr *all;
        follow_arguments(block, value->Iex.CCall.args, value->Iex.CCall.cee->mcx_mask, &all, &tag);
        if (!is_no_bits(all))
            all = bits_of_call(block, value->Iex.CCall.cee, value->Iex.CCall.args, all);
        bits = spread(block, type, all);
        break;
    }
    default: break;
    }
    set(block, to, bits, tag);
}

/* ---- statements ---- */

void follow_store(struct block *block, const IRStmt *statement) {
    IRExpr *data = statement->Ist.Store.data, *address = statement->Ist.Store.addr;
    IRExpr *guard = is_own(block->at) ? is_followed_here(block, address) : NULL;
    store(block, address, bits_of(block, data), tag_of(block, data), guard);
}

static void follow_dirty(struct block *block, IRDirty *call) {
    IRExpr *bits, *tag;
    follow_arguments(block, call->args, call->cee->mcx_mask, &bits, &tag);
    for (Int i = 0; i < call->nFxState; i++) {
        if (call->fxState[i].fx == Ifx_Write) continue;
        for (Int j = 0; j <= call->fxState[i].nRepeats; j++)
            for (Int at = 0; at + 8 <= call->fxState[i].size; at += 8) {
                Int offset = call->fxState[i].offset + j * call->fxState[i].repeatLen + at;
                if (is_always_defined(block, offset, 8)) continue;
                bits = either(block, Ity_I64, bits, get(block, offset, Ity_I64));
            }
    }
    for (Int at = 0; call->mFx != Ifx_None && call->mFx != Ifx_Write && at + 8 <= call->mSize;
         at += 8) {
        IRExpr *from = binop(block, Ity_I64, Iop_Add64, place(block, call->mAddr), word((ULong)at));
        if (call->guard->tag == Iex_Const)
            bits = either(block, Ity_I64, bits,
                          put(block, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, from)));
    }
    addStmtToIRSB(block->out, IRStmt_Dirty(call));
    /* What searches texts in vectors stops at their ends, and the bytes behind these do not matter.
     */
    if (VG_(strcmp)(call->cee->name, "amd64g_dirtyhelper_PCMPxSTRx") == 0) bits = word(0);
    IRExpr *all = spread(block, Ity_I64, bits), *part = spread(block, Ity_I8, bits);
    for (Int i = 0; i < call->nFxState; i++) {
        if (call->fxState[i].fx == Ifx_Read) continue;
        for (Int j = 0; j <= call->fxState[i].nRepeats; j++)
            for (Int at = 0; at < call->fxState[i].size;) {
                Int offset = call->fxState[i].offset + j * call->fxState[i].repeatLen + at;
                Bool whole = call->fxState[i].size - at >= 8;
                put_bits(block, offset, whole ? all : part, tag);
                at += whole ? 8 : 1;
            }
    }
    if (call->mFx == Ifx_Write || call->mFx == Ifx_Modify)
        for (Int at = 0; at < call->mSize;) {
            Bool whole = call->mSize - at >= 8;
            IRExpr *to = binop(block, Ity_I64, Iop_Add64, call->mAddr, word((ULong)at));
            store(block, to, whole ? all : part, tag, call->guard);
            at += whole ? 8 : 1;
        }
    if (call->tmp != IRTemp_INVALID)
        set(block, call->tmp, spread(block, typeOfIRTemp(block->out->tyenv, call->tmp), bits), tag);
}

/* The memory gets the bits of what is stored if the exchange is made. */
static void follow_exchange(struct block *block, IRCAS *exchange, IRStmt *statement) {
    IRType type = typeOfIRExpr(block->out->tyenv, exchange->dataLo);
    SizeT size = (SizeT)sizeofIRType(type);
    IROp equal = size == 1   ? Iop_CmpEQ8
                 : size == 2 ? Iop_CmpEQ16
                 : size == 4 ? Iop_CmpEQ32
                             : Iop_CmpEQ64;
    IRExpr *low = put(block, type, IRExpr_Load(Iend_LE, type, place(block, exchange->addr)));
    IRExpr *tag = tag_in_memory(block, exchange->addr, low, NULL), *high = NULL, *next = NULL;
    if (exchange->dataHi) {
        next = binop(block, Ity_I64, Iop_Add64, exchange->addr, word(size));
        high = put(block, type, IRExpr_Load(Iend_LE, type, place(block, next)));
    }
    addStmtToIRSB(block->out, statement);
    set(block, exchange->oldLo, low, tag);
    IRExpr *made = binop(block, Ity_I1, equal, IRExpr_RdTmp(exchange->oldLo), exchange->expdLo);
    if (high) {
        set(block, exchange->oldHi, high, tag);
        IRExpr *too = binop(block, Ity_I1, equal, IRExpr_RdTmp(exchange->oldHi), exchange->expdHi);
        made = both_of(block, made, too);
        store(block, next, bits_of(block, exchange->dataHi), tag_of(block, exchange->dataHi), made);
    }
    store(block, exchange->addr, bits_of(block, exchange->dataLo), tag_of(block, exchange->dataLo),
          made);
}

static void follow_guarded_load(struct block *block, IRLoadG *load, IRStmt *statement) {
    IRType result, type;
    typeOfIRLoadGOp(load->cvt, &result, &type);
    IRExpr *otherwise = bits_of(block, load->alt), *guard = bits_of(block, load->guard);
    IRTemp bits = newIRTemp(block->out->tyenv, result);
    addStmtToIRSB(block->out, IRStmt_LoadG(Iend_LE, load->cvt, bits, place(block, load->addr),
                                           otherwise, load->guard));
    IRExpr *tag = load_tag(block, load->addr, load->guard);
    tag = put(block, Ity_I32, IRExpr_ITE(load->guard, tag, tag_of(block, load->alt)));
    addStmtToIRSB(block->out, statement);
    set(block, load->dst, either(block, result, IRExpr_RdTmp(bits), spread(block, result, guard)),
        tag);
}

static void judge_end(struct block *block) {
    const IRSB *in = block->in;
    if (in->next->tag != Iex_RdTmp) return;
    if (in->jumpkind == Ijk_Call)
        judge(block, in->next, WHENCE_USE_TARGET, 8);
    else if (in->jumpkind == Ijk_Boring && !block->changed)
        judge(block, in->next, WHENCE_USE_TARGET, 0);
}

static void follow_statement(struct block *block, Int at) {
    IRStmt *statement = block->in->stmts[at];
    IRSB *out = block->out;
    before_statement(block, at);
    switch (statement->tag) {
    case Ist_IMark: enter(block, statement); break;
    case Ist_AbiHint: mark_call(block, at); break;
    case Ist_Put: {
        IRExpr *value = statement->Ist.Put.data;
        Int offset = statement->Ist.Put.offset;
        if (offset == block->stack_pointer) mark_stack(block, at);
        if (offset != offsetof(VexGuestAMD64State, guest_RIP)) {
            if (offset != block->stack_pointer)
                put_bits(block, offset, bits_of(block, value), tag_of(block, value));
            if (!is_always_defined(block, offset, 1) &&
                offset != offsetof(VexGuestAMD64State, guest_CC_DEP1) &&
                offset != offsetof(VexGuestAMD64State, guest_CC_DEP2))
                block->changed = True;
        }
        addStmtToIRSB(out, statement);
        break;
    }
    case Ist_PutI: {
        IRPutI *details = statement->Ist.PutI.details;
        if (!is_array_defined(block, details->descr))
            addStmtToIRSB(out, IRStmt_PutI(mkIRPutI(shadow_of(block, details->descr), details->ix,
                                                    details->bias, bits_of(block, details->data))));
        block->changed = True;
        addStmtToIRSB(out, statement);
        break;
    }
    case Ist_WrTmp: {
        IRExpr *value = statement->Ist.WrTmp.data;
        if (value->tag == Iex_Load) judge_address(block, value->Iex.Load.addr);
        check_statement(block, at);
        if (value->tag == Iex_Load || value->tag == Iex_Get) {
            follow_value(block, statement->Ist.WrTmp.tmp, value);
            addStmtToIRSB(out, statement);
        } else {
            addStmtToIRSB(out, statement);
            follow_value(block, statement->Ist.WrTmp.tmp, value);
        }
        note_stack(block, statement->Ist.WrTmp.tmp, value);
        break;
    }
    case Ist_Store: {
        judge_address(block, statement->Ist.Store.addr);
        check_statement(block, at);
        addStmtToIRSB(out, statement);
        follow_store(block, statement);
        block->changed = True;
        break;
    }
    case Ist_StoreG: {
        IRStoreG *details = statement->Ist.StoreG.details;
        judge_address(block, details->addr);
        check_statement(block, at);
        addStmtToIRSB(out, statement);
        store(block, details->addr, bits_of(block, details->data), tag_of(block, details->data),
              details->guard);
        block->changed = True;
        break;
    }
    case Ist_LoadG:
        judge_address(block, statement->Ist.LoadG.details->addr);
        check_statement(block, at);
        follow_guarded_load(block, statement->Ist.LoadG.details, statement);
        break;
    case Ist_CAS:
        judge_address(block, statement->Ist.CAS.details->addr);
        check_statement(block, at);
        follow_exchange(block, statement->Ist.CAS.details, statement);
        block->changed = True;
        break;
    case Ist_Dirty:
        if (statement->Ist.Dirty.details->mFx != Ifx_None)
            judge_address(block, statement->Ist.Dirty.details->mAddr);
        check_statement(block, at);
        follow_dirty(block, statement->Ist.Dirty.details);
        block->changed = True;
        break;
    case Ist_Exit:
        if (!block->changed) judge(block, statement->Ist.Exit.guard, WHENCE_USE_BRANCH, 0);
        addStmtToIRSB(out, statement);
        break;
    default: addStmtToIRSB(out, statement); break;
    }
}

void follow(struct block *block) {
    for (Int i = 0; i < block->in->stmts_used; i++)
        if (block->in->stmts[i]->tag != Ist_NoOp) follow_statement(block, i);
    after_statements(block);
    judge_end(block);
}
