/* What the parts of the tool know of each other.
 *
 * Copyright (C) the authors of whence.
 *
 * This program is free software; you can redistribute it and/or modify it under the terms of the
 * GNU General Public License as published by the Free Software Foundation; either version 2 of the
 * License, or (at your option) any later version. It is a program of its own, linked with
 * Valgrind's core and no part of whence's library; the file LICENSE beside it says more.
 */
#ifndef WHENCE_TOOL_H
#define WHENCE_TOOL_H

#include "libvex_guest_amd64.h"
#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_clreq.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"

#define GRANULE 8

/* ---- a block of code that is being translated ---- */

/* Bytes of the guest's state, at most. */
#define STATE_MOST 2048

/* Words of the plane of writers that a block has found (writers.c). */
struct spot {
    IRTemp base;
    Long low; /* from it, less than a granule */
    IRTemp place, end, half, whole;
};
#define SPOTS_MOST 64

struct block {
    IRSB *out;
    const IRSB *in;
    const VexGuestLayout *layout;
    Int temporaries; /* of `in` */
    Bool *by_stack;  /* temporaries that are the stack pointer and a constant */
    Long *below;     /* that constant, from the stack pointer that was last put */
    IRTemp *bases;   /* temporaries that are another one and a distance */
    Long *distances;
    IRTemp *places;    /* temporary -> it, exclusive or the flip of the plane */
    IRTemp *bits;      /* temporary -> that of its undefined bits */
    IRTemp *tags;      /* temporary -> that of their origin */
    Int stack_pointer; /* where the core keeps it */
    Addr begin;        /* of the block */
    Bool is_apart;
    Addr at;      /* the instruction */
    Addr behind;  /* of the one before; 0: there is none */
    Addr left_at; /* where code that leaves the block was put last */
    IRExpr *pc;
    IRExpr *pointer; /* the stack pointer, if it was put */
    Long lowered;    /* by how much, since that was marked last */
    Addr lowered_at; /* by this instruction */
    Bool is_new;     /* nobody has announced the code */
    Bool changed;    /* the instruction has changed a register already */
    struct spot spots[SPOTS_MOST];
    UInt spots_count;
    UChar settled[STATE_MOST]; /* bytes of the state that are known to be defined */
};

IRExpr *put(struct block *block, IRType type, IRExpr *value);
static inline IRExpr *word(ULong value) { return IRExpr_Const(IRConst_U64(value)); }
static inline IRExpr *byte_of(UChar value) { return IRExpr_Const(IRConst_U8(value)); }
static inline IRExpr *unop(struct block *block, IRType type, IROp op, IRExpr *a) {
    return put(block, type, IRExpr_Unop(op, a));
}
static inline IRExpr *binop(struct block *block, IRType type, IROp op, IRExpr *a, IRExpr *b) {
    return put(block, type, IRExpr_Binop(op, a, b));
}

/* ---- code (tool.c) ---- */

/* Whether it is the C library's, the loader's or the runtime's. */
Bool is_apart(Addr pc);
/* Begins an instruction. */
void enter(struct block *block, IRStmt *mark);
void note_stack(struct block *block, IRTemp to, const IRExpr *value);

/* ---- accesses (access.c) ---- */

/* Code that looks at the states of an access before it is made. */
void check(struct block *block, IRExpr *address, SizeT size, Bool write, IRExpr *guard);
void check_statement(struct block *block, Int place);
/* The states of an access as a word, which is 0 if it may be made; NULL if that is known. */
IRExpr *states_of(struct block *block, IRExpr *address, SizeT size);
Bool is_stack(const struct block *block, const IRExpr *address);
/* Whether an instruction that reads memory exchanges it, too. */
Bool exchanges(const IRSB *in, Int at, const IRExpr *address);

/* ---- the planes (plane.c) ---- */

/* Undefined values are followed. */
extern Bool values_on;

#define VALUES_OF(address) (((Addr)(address) ^ WHENCE_VALUES_FLIP) + WHENCE_VALUES_SKEW)
#define TAG_OF(address)                                                                            \
    (((((Addr)(address) >> 1) & ~(Addr)3) ^ WHENCE_TAGS_FLIP) + WHENCE_TAGS_SKEW)

void values_begin(ThreadId thread, Addr begin, Addr end);
void values_callbacks(void);
/* Other code than the program's has written there, or nobody has; the same, where the program's
 * stores stay the last ones. */
void define(Addr address, SizeT size);
void define_bits(Addr address, SizeT size);
void undefine(Addr address, SizeT size, UInt tag);
/* The same, where what was stored before is no news. */
void undefine_block(Addr address, SizeT size, UInt tag);
/* Fills a part of a plane with zeros. */
void clear(Addr begin, SizeT size);
/* Whether undefined bits may be kept of the memory there. */
Bool is_followed(Addr address, SizeT size);
/* A tag for what is left undefined by an instruction, or by the frame of a function. */
UInt tag_of_place(Addr pc);
Addr place_of_tag(UInt tag);
/* The stack pointer has moved down: what lies between is undefined. */
void undefine_stack(Addr low, Addr high, UInt tag);

/* The bytes of a range get what is known of others, as soon as the runtime returns. */
void copy_later(ThreadId thread, Addr to, Addr from, SizeT size);
void apply_copies(ThreadId thread);
extern UInt *later;      /* by thread: how many copies wait */
extern UInt copies_wait; /* of all threads */
/* Whether code is the runtime's. */
Bool is_own(Addr pc);

/* ---- the last writers (writers.c) ---- */

void forget_writers(Addr address, SizeT size);
/* The instruction that has stored all of the bytes of a value; 0 if none is known. */
Addr writer_of(Addr address, SizeT size);
/* Code that notes that the block's instruction has stored to memory. */
void note_writer(struct block *block, IRExpr *address, SizeT size, IRExpr *guard);

/* Where a thread has the begin of the block that it executes. */
#define BEGIN_OF_BLOCK(layout)                                                                     \
    (2 * (layout)->total_sizeB + (Int)offsetof(VexGuestAMD64State, guest_RIP))
void note_block(struct block *block);

/* ---- where addresses come from (explained.c) ---- */

/* A block is translated to be looked at, and not to be executed. */
extern Bool explaining;
void explain_block(const IRSB *in);

/* ---- code for them (met.c, assumed.c, follow.c, laws.c) ---- */

IRType type_of_bits(IRType type);
IRExpr *no_bits(IRType type);
Bool is_no_bits(const IRExpr *bits);
/* Where the undefined bits of an address's bytes are. */
IRExpr *place(struct block *block, IRExpr *address);
IRExpr *place_behind(struct block *block, IRExpr *address, Long distance);
IRExpr *place_if(struct block *block, IRExpr *address, Long distance, IRExpr *guard);
void note_base(struct block *block, IRTemp to, const IRExpr *value);
Bool is_always_defined(const struct block *block, Int offset, Int size);
/* The stack pointer is put: marks what it leaves behind. */
void mark_stack(struct block *block, Int at);
void mark_call(struct block *block, Int at);
void before_statement(struct block *block, Int at);
void after_statements(struct block *block);

/* Code before a function whose arguments are judged (judged.c). */
void judge_arguments(struct block *block);
/* Behind the statements of a block whose values are settled. */
void pass_status(struct block *block);
/* WHENCE_REQUEST_JUDGE and WHENCE_REQUEST_ARGUMENT. */
Bool judge_calls(Addr function, ULong how);
Bool noted_argument(ThreadId thread, UInt number, UWord *bits_and_tag);
/* A use of a value with undefined bits, whose tag is given, before the instruction; `how` as use()
 * in follow.c has it. */
void call_use(struct block *block, IRExpr *value, IRExpr *bits, IRExpr *tag, ULong how);
IRExpr *tag_of_register(struct block *block, Int offset);

/* Notes that the code was left because of a value, if it was. */
void meet_again(ThreadId thread, Addr pc);
/* Whether a block has met undefined values, so that it follows them. */
Bool has_met(const IRSB *in);
/* The three ways of a block: it takes all for defined and turns to the second where something is
 * not; it follows undefined bits; all that it writes is defined. */
void assume(struct block *block);
void follow(struct block *block);
void settle(struct block *block);

/* The bits of a temporary that gets a value, and of memory behind a store. */
void follow_value(struct block *block, IRTemp to, IRExpr *value);
void follow_store(struct block *block, const IRStmt *statement);
IRExpr *bits_of(struct block *block, const IRExpr *atom);
IRExpr *tag_of(struct block *block, const IRExpr *atom);
void put_bits(struct block *block, Int offset, IRExpr *bits, IRExpr *tag);

/* The temporaries of a block that are loaded to be stored elsewhere, and nothing else (carried.c).
 */
void find_carried(const struct block *block, Bool *carried);
/* Whether the plane has a place for an address at which memory is. */
IRExpr *is_followed_here(struct block *block, IRExpr *address);

/* Whether lanes of vectors are compared. */
Bool is_equality_of_lanes(IROp op);
/* The undefined bits of an operator's result, of the types that type_of_bits gives. */
IRExpr *bits_of_unop(struct block *block, IROp op, IRExpr *a, IRExpr *va);
IRExpr *bits_of_binop(struct block *block, IROp op, IRExpr *a, IRExpr *b, IRExpr *va, IRExpr *vb);
IRExpr *bits_of_call(struct block *block, const IRCallee *callee, IRExpr **arguments, IRExpr *all);
IRExpr *bits_of_other(struct block *block, IROp op, IRExpr **v, Int count);
/* All ones of a type where some bit is undefined, else zero. */
IRExpr *spread(struct block *block, IRType to, IRExpr *bits);
/* Whether some bit is, as a word. */
IRExpr *some(struct block *block, IRExpr *bits);
IRExpr *either(struct block *block, IRType type, IRExpr *a, IRExpr *b);

#endif
