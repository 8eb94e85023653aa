/* The plane of the last writers: which instruction has stored to memory last.
 *
 * Copyright (C) the authors of whence.
 *
 * This program is free software; you can redistribute it and/or modify it under the terms of the
 * GNU General Public License as published by the Free Software Foundation; either version 2 of the
 * License, or (at your option) any later version. It is a program of its own, linked with
 * Valgrind's core and no part of whence's library; the file LICENSE beside it says more.
 *
 * Of eight bytes the plane has a word with the address of the instruction that has stored there
 * last, and whether it has written all of them, one half or less. The word is 0 where that is not
 * known: the C library, the runtime and the kernel have no line that helps.
 */
#include "tool.h"

#define WRITER_OF(address)                                                                         \
    (((((Addr)(address) >> 1) & ~(Addr)3) ^ WHENCE_WRITERS_FLIP) + WHENCE_WRITERS_SKEW)

/* Code behind that has no room in a word: that of a program that makes its own. */
#define CODE_MOST ((Addr)1 << 30)

static Bool has_writers(Addr address) {
    return address < WHENCE_WRITERS_LOW ||
           (address >= WHENCE_WRITERS_BEGIN && address < WHENCE_VALUES_END);
}

void forget_writers(Addr address, SizeT size) {
    if (!has_writers(address) || !has_writers(address + size - 1)) return;
    clear((Addr)WRITER_OF(address),
          (SizeT)(WRITER_OF(address + size - 1) + sizeof(UInt) - WRITER_OF(address)));
}

Addr writer_of(Addr address, SizeT size) {
    if (!has_writers(address)) return 0;
    UInt found = *(volatile UInt *)WRITER_OF(address), half = found & 3;
    Bool first = !(address & 7), is_all = size == 8 && first && half == WHENCE_HALF_WHOLE;
    Bool is_half =
        size == 4 && !(address & 3) &&
        (half == WHENCE_HALF_WHOLE || half == (first ? WHENCE_HALF_FIRST : WHENCE_HALF_SECOND));
    return is_all || is_half ? found >> 2 : 0;
}

/* ---- code ---- */

static IRExpr *number(UInt value) { return IRExpr_Const(IRConst_U32(value)); }

static IRExpr *behind(struct block *block, IRExpr *place, Long distance) {
    return distance ? binop(block, Ity_I64, Iop_Add64, place, word((ULong)distance)) : place;
}

/* What is computed of an address serves all that are a multiple of 8 away. */
static struct spot *spot_of(struct block *block, IRTemp base, Long low) {
    for (UInt i = 0; i < block->spots_count; i++)
        if (block->spots[i].base == base && block->spots[i].low == low) return &block->spots[i];
    struct spot *spot = &block->spots[block->spots_count];
    if (block->spots_count < SPOTS_MOST - 1) block->spots_count++;
    *spot =
        (struct spot){base, low, IRTemp_INVALID, IRTemp_INVALID, IRTemp_INVALID, IRTemp_INVALID};
    return spot;
}

static IRExpr *once(IRTemp *kept, IRExpr *made) {
    *kept = made->Iex.RdTmp.tmp;
    return made;
}

static IRExpr *writer_place(struct block *block, IRExpr *address) {
    IRExpr *half = binop(block, Ity_I64, Iop_Shr64, address, byte_of(1));
    IRExpr *whole = binop(block, Ity_I64, Iop_And64, half, word(~3ull));
    IRExpr *flipped = binop(block, Ity_I64, Iop_Xor64, whole, word(WHENCE_WRITERS_FLIP));
    return binop(block, Ity_I64, Iop_Add64, flipped, word(WHENCE_WRITERS_SKEW));
}

/* Where in its granule a store begins; a negative number if that is not known. A function's stack
 * pointer is a multiple of 8 where it stores. */
static Int begin_of(const struct block *block, const IRExpr *address) {
    return is_stack(block, address) ? (Int)(block->below[address->Iex.RdTmp.tmp] & 7) : -1;
}

static UInt half_of(Int begin, SizeT size) {
    if (size >= 8) return begin ? WHENCE_HALF_PART : WHENCE_HALF_WHOLE;
    if (size < 4 || begin % 4) return WHENCE_HALF_PART;
    return begin ? WHENCE_HALF_SECOND : WHENCE_HALF_FIRST;
}

/* The half that a store of 4 bytes writes, or whether a larger one begins with a granule. */
static IRExpr *half_at(struct block *block, struct spot *spot, IRExpr *at, SizeT size) {
    IRTemp *kept = size == 4 ? &spot->half : &spot->whole;
    if (*kept != IRTemp_INVALID) return IRExpr_RdTmp(*kept);
    if (size == 4) {
        IRExpr *half =
            unop(block, Ity_I32, Iop_64to32, binop(block, Ity_I64, Iop_Shr64, at, byte_of(2)));
        half = binop(block, Ity_I32, Iop_And32, half, number(1));
        return once(kept, binop(block, Ity_I32, Iop_Add32, half, number(WHENCE_HALF_FIRST)));
    }
    IRExpr *low = binop(block, Ity_I64, Iop_And64, at, word(GRANULE - 1));
    IRExpr *is_part = unop(block, Ity_I1, Iop_CmpNEZ64, low);
    return once(kept,
                put(block, Ity_I32,
                    IRExpr_ITE(is_part, number(WHENCE_HALF_PART), number(WHENCE_HALF_WHOLE))));
}

static void store_words(struct block *block, IRExpr *place, Long distance, SizeT count,
                        IRExpr *said, IRExpr *guard) {
    static UChar nobodys[64];
    if (guard && guard->tag != Iex_Const)
        place = put(block, Ity_I64,
                    IRExpr_ITE(guard, behind(block, place, distance), word((Addr)nobodys)));
    for (SizeT i = 0; i < count; i++) {
        Long further = (Long)(i * sizeof(UInt)) + (guard && guard->tag != Iex_Const ? 0 : distance);
        addStmtToIRSB(block->out, IRStmt_Store(Iend_LE, behind(block, place, further), said));
    }
}

void note_writer(struct block *block, IRExpr *address, SizeT size, IRExpr *guard) {
    Addr pc = block->is_apart || block->at >= CODE_MOST ? 0 : block->at;
    UInt said = (UInt)pc << 2;
    /* The runtime's own variables are no values of the program. */
    if (is_own(block->at) && (address->tag == Iex_Const || is_stack(block, address))) return;
    if (address->tag == Iex_Const) {
        Addr at = address->Iex.Const.con->Ico.U64;
        Int begin = (Int)(at & (GRANULE - 1));
        store_words(block, word(WRITER_OF(at)), 0, ((SizeT)begin + size + GRANULE - 1) / GRANULE,
                    number(pc ? said | half_of(begin, size) : 0), guard);
        return;
    }
    IRTemp base = address->Iex.RdTmp.tmp;
    Long distance = 0;
    if (base < (IRTemp)block->temporaries && block->bases[base] != IRTemp_INVALID) {
        distance = block->distances[base];
        base = block->bases[base];
    }
    Int begin = begin_of(block, address);
    Long low = distance & (GRANULE - 1);
    struct spot *spot = spot_of(block, base, low);
    IRExpr *at = NULL;
    Bool needs_half = pc && begin < 0 && size >= 4;
    if (spot->place == IRTemp_INVALID ||
        (needs_half && (size == 4 ? spot->half : spot->whole) == IRTemp_INVALID))
        at = behind(block, IRExpr_RdTmp(base), low);
    IRExpr *place = spot->place == IRTemp_INVALID ? once(&spot->place, writer_place(block, at))
                                                  : IRExpr_RdTmp(spot->place);
    IRExpr *words = number(pc && begin >= 0 ? said | half_of(begin, size) : said);
    if (needs_half) words = binop(block, Ity_I32, Iop_Add32, half_at(block, spot, at, size), words);
    SizeT whole = begin < 0 ? size / GRANULE : ((SizeT)begin + size + GRANULE - 1) / GRANULE;
    Long words_away = (distance - low) / 2;
    store_words(block, place, words_away, whole ? whole : 1, words, guard);
    if (begin >= 0 || size <= 4) return;
    /* It may end in one more. */
    Long last = (Long)size - 1, more = last & ~(Long)(GRANULE - 1);
    IRExpr *end;
    if ((last & 7) != 7)
        end = writer_place(block, behind(block, IRExpr_RdTmp(base), low + (last & 7)));
    else if (spot->end != IRTemp_INVALID)
        end = IRExpr_RdTmp(spot->end);
    else
        end = once(&spot->end,
                   writer_place(block, behind(block, IRExpr_RdTmp(base), low + GRANULE - 1)));
    store_words(block, end, words_away + more / 2, 1, words, guard);
}

void note_block(struct block *block) {
    addStmtToIRSB(block->out, IRStmt_Put(BEGIN_OF_BLOCK(block->layout), word(block->begin)));
}
