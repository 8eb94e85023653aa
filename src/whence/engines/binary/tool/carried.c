/* Values that a block loads to store them elsewhere, and does not look at.
 *
 * Copyright (C) the authors of whence.
 *
 * This program is free software; you can redistribute it and/or modify it under the terms of the
 * GNU General Public License as published by the Free Software Foundation; either version 2 of the
 * License, or (at your option) any later version. It is a program of its own, linked with
 * Valgrind's core and no part of whence's library; the file LICENSE beside it says more.
 *
 * Copies of structs with padding are such: they keep undefined bits without a look at them.
 */
#include "tool.h"

static void use(Bool *carried, const IRExpr *atom) {
    if (atom && atom->tag == Iex_RdTmp) carried[atom->Iex.RdTmp.tmp] = False;
}

static void use_all(Bool *carried, IRExpr **atoms) {
    for (Int i = 0; atoms[i]; i++)
        if (!is_IRExpr_VECRET_or_GSPTR(atoms[i])) use(carried, atoms[i]);
}

static void use_in_value(Bool *carried, const IRExpr *value) {
    switch (value->tag) {
    case Iex_RdTmp: use(carried, value); break;
    case Iex_GetI: use(carried, value->Iex.GetI.ix); break;
    case Iex_Load: use(carried, value->Iex.Load.addr); break;
    case Iex_Unop: use(carried, value->Iex.Unop.arg); break;
    case Iex_Binop:
        use(carried, value->Iex.Binop.arg1);
        use(carried, value->Iex.Binop.arg2);
        break;
    case Iex_Triop:
        use(carried, value->Iex.Triop.details->arg1);
        use(carried, value->Iex.Triop.details->arg2);
        use(carried, value->Iex.Triop.details->arg3);
        break;
    case Iex_Qop:
        use(carried, value->Iex.Qop.details->arg1);
        use(carried, value->Iex.Qop.details->arg2);
        use(carried, value->Iex.Qop.details->arg3);
        use(carried, value->Iex.Qop.details->arg4);
        break;
    case Iex_ITE:
        use(carried, value->Iex.ITE.cond);
        use(carried, value->Iex.ITE.iftrue);
        use(carried, value->Iex.ITE.iffalse);
        break;
    case Iex_CCall: use_all(carried, value->Iex.CCall.args); break;
    default: break;
    }
}

/* Uses that are no stores of the value, and no register that gets it. */
static void use_in_statement(Bool *carried, const IRStmt *statement) {
    switch (statement->tag) {
    case Ist_AbiHint:
        use(carried, statement->Ist.AbiHint.base);
        use(carried, statement->Ist.AbiHint.nia);
        break;
    case Ist_PutI:
        use(carried, statement->Ist.PutI.details->ix);
        use(carried, statement->Ist.PutI.details->data);
        break;
    case Ist_WrTmp: use_in_value(carried, statement->Ist.WrTmp.data); break;
    case Ist_Store: use(carried, statement->Ist.Store.addr); break;
    case Ist_StoreG:
        use(carried, statement->Ist.StoreG.details->addr);
        use(carried, statement->Ist.StoreG.details->data);
        use(carried, statement->Ist.StoreG.details->guard);
        break;
    case Ist_LoadG:
        use(carried, statement->Ist.LoadG.details->addr);
        use(carried, statement->Ist.LoadG.details->alt);
        use(carried, statement->Ist.LoadG.details->guard);
        break;
    case Ist_CAS:
        use(carried, statement->Ist.CAS.details->addr);
        use(carried, statement->Ist.CAS.details->expdHi);
        use(carried, statement->Ist.CAS.details->expdLo);
        use(carried, statement->Ist.CAS.details->dataHi);
        use(carried, statement->Ist.CAS.details->dataLo);
        break;
    case Ist_LLSC:
        use(carried, statement->Ist.LLSC.addr);
        use(carried, statement->Ist.LLSC.storedata);
        break;
    case Ist_Dirty: {
        const IRDirty *call = statement->Ist.Dirty.details;
        use_all(carried, call->args);
        use(carried, call->guard);
        use(carried, call->mAddr);
        break;
    }
    case Ist_Exit: use(carried, statement->Ist.Exit.guard); break;
    default: break;
    }
}

/* Whether the block reads some of a register behind a statement. */
static Bool is_read_behind(const IRSB *in, Int at, Int offset, Int size) {
    for (at++; at < in->stmts_used; at++) {
        const IRStmt *statement = in->stmts[at];
        if (statement->tag == Ist_Dirty && statement->Ist.Dirty.details->nFxState) return True;
        if (statement->tag != Ist_WrTmp) continue;
        const IRExpr *value = statement->Ist.WrTmp.data;
        if (value->tag == Iex_GetI) return True;
        if (value->tag == Iex_Get && value->Iex.Get.offset < offset + size &&
            offset < value->Iex.Get.offset + sizeofIRType(value->Iex.Get.ty))
            return True;
    }
    return False;
}

static Bool is_wide(IRType type) { return type == Ity_I64 || type == Ity_V128 || type == Ity_V256; }

void find_carried(const struct block *block, Bool *carried) {
    const IRSB *in = block->in;
    Bool is_stored[block->temporaries + 1];
    VG_(memset)(is_stored, 0, sizeof is_stored);
    for (Int i = 0; i < in->stmts_used; i++) {
        const IRStmt *statement = in->stmts[i];
        if (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag == Iex_Load)
            carried[statement->Ist.WrTmp.tmp] = is_wide(statement->Ist.WrTmp.data->Iex.Load.ty);
    }
    for (Int i = 0; i < in->stmts_used; i++) {
        const IRStmt *statement = in->stmts[i];
        use_in_statement(carried, statement);
        if (statement->tag == Ist_Store && statement->Ist.Store.data->tag == Iex_RdTmp)
            is_stored[statement->Ist.Store.data->Iex.RdTmp.tmp] = True;
        if (statement->tag != Ist_Put) continue;
        const IRExpr *value = statement->Ist.Put.data;
        Int offset = statement->Ist.Put.offset, size = sizeofIRType(typeOfIRExpr(in->tyenv, value));
        if (offset == block->stack_pointer || is_always_defined(block, offset, size) ||
            is_read_behind(in, i, offset, size))
            use(carried, value);
    }
    use(carried, in->next);
    for (Int i = 0; i < block->temporaries; i++) carried[i] = carried[i] && is_stored[i];
}
