/* Where the address of a wrong access comes from.
 *
 * Copyright (C) the authors of whence.
 *
 * This program is free software; you can redistribute it and/or modify it under the terms of the
 * GNU General Public License as published by the Free Software Foundation; either version 2 of the
 * License, or (at your option) any later version. It is a program of its own, linked with
 * Valgrind's core and no part of whence's library; the file LICENSE beside it says more.
 *
 * The block of code that was stopped is translated once more, to be looked at: its registers are
 * those at the stop where the block has put them, and at its begin where it has not. From them
 * follow the values that it has computed and the addresses from which it has loaded. Only what
 * leads to the very address of the access is believed. Then the plane of the last writers says
 * which instruction has stored the loaded values.
 */
#include "tool.h"
#include "stops.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcprint.h"

/* The core's, which tools do not see: translates a block, and keeps nothing of it if it is for
 * debugging; the log, which gets a line then. */
Bool vgPlain_translate(ThreadId thread, Addr pc, Bool debugging, Int verbosity, ULong blocks,
                       Bool redirect);
extern struct {
    Int descriptor;
} vgPlain_log_output_sink;

Bool explaining;

/* ---- what is asked of a block ---- */

/* Those that addresses are made from, as the core's state has them from RAX on. */
#define REGISTERS 16
#define FIRST_REGISTER_OFFSET ((Int)offsetof(VexGuestAMD64State, guest_RAX))

/* The words of a request: where it comes from, the address, the registers, rows for the answer. */
#define FIRST_REGISTER 2
#define FIRST_ROW (FIRST_REGISTER + REGISTERS)
#define ROW_WORDS 4

static struct question {
    ThreadId thread;
    Addr pc, address;           /* of the access */
    UInt tag;                   /* or of the undefined bits that are used; 0: none are */
    ULong registers[REGISTERS]; /* there */
    Addr argument_at; /* asks whether this instruction stores an argument, and nothing else */
    Bool is_argument;
    UWord *rows;
    UInt count;
} question;

static void translate(Addr begin) {
    Int log = vgPlain_log_output_sink.descriptor;
    vgPlain_log_output_sink.descriptor = -1;
    explaining = True;
    vgPlain_translate(question.thread, begin, True, 0, 0, True);
    explaining = False;
    vgPlain_log_output_sink.descriptor = log;
}

/* ---- the values of a block ---- */

struct values {
    const IRSB *in;
    const IRExpr **made; /* what each temporary is */
    ULong *values;
    Bool *known;
    Bool put[sizeof(VexGuestAMD64State)]; /* bytes of the state */
};

static void know(struct values *all, IRTemp temporary, ULong value) {
    all->known[temporary] = True;
    all->values[temporary] = value;
}

static Bool value_of(const struct values *all, const IRExpr *atom, ULong *value) {
    if (atom->tag == Iex_RdTmp) {
        *value = all->values[atom->Iex.RdTmp.tmp];
        return all->known[atom->Iex.RdTmp.tmp];
    }
    if (atom->tag != Iex_Const) return False;
    const IRConst *constant = atom->Iex.Const.con;
    switch (constant->tag) {
    case Ico_U8: *value = constant->Ico.U8; return True;
    case Ico_U16: *value = constant->Ico.U16; return True;
    case Ico_U32: *value = constant->Ico.U32; return True;
    case Ico_U64: *value = constant->Ico.U64; return True;
    default: return False;
    }
}

static Bool loaded(Addr address, SizeT size, ULong *value) {
    if (size > 8 || !VG_(am_is_valid_for_client)(address, size, VKI_PROT_READ)) return False;
    *value = 0;
    VG_(memcpy)(value, (const void *)address, size);
    return True;
}

/* The program's register at the stop, or a part of it. */
static Bool register_at(Int offset, SizeT size, ULong *value) {
    offset -= FIRST_REGISTER_OFFSET;
    if (size > 8 || offset < 0 || offset + (Int)size > (Int)sizeof question.registers) return False;
    VG_(memcpy)(value, (const UChar *)question.registers + offset, size);
    return True;
}

/* The program's register, if the block has not put it before. */
static Bool got(const struct values *all, Int offset, SizeT size, ULong *value) {
    for (SizeT i = 0; i < size; i++)
        if (offset + (Int)i >= (Int)sizeof all->put || all->put[offset + (Int)i]) return False;
    *value = 0;
    return register_at(offset, size, value);
}

static Bool of_unop(IROp op, ULong a, ULong *value) {
    switch (op) {
    case Iop_64to32: *value = (UInt)a; return True;
    case Iop_64to16:
    case Iop_32to16: *value = (UShort)a; return True;
    case Iop_64to8:
    case Iop_32to8:
    case Iop_16to8: *value = (UChar)a; return True;
    case Iop_8Uto16:
    case Iop_8Uto32:
    case Iop_8Uto64:
    case Iop_16Uto32:
    case Iop_16Uto64:
    case Iop_32Uto64: *value = a; return True;
    case Iop_8Sto16: *value = (UShort)(Short)(Char)a; return True;
    case Iop_8Sto32: *value = (UInt)(Int)(Char)a; return True;
    case Iop_8Sto64: *value = (ULong)(Long)(Char)a; return True;
    case Iop_16Sto32: *value = (UInt)(Int)(Short)a; return True;
    case Iop_16Sto64: *value = (ULong)(Long)(Short)a; return True;
    case Iop_32Sto64: *value = (ULong)(Long)(Int)a; return True;
    default: return False;
    }
}

static Bool of_binop(IROp op, ULong a, ULong b, ULong *value) {
    switch (op) {
    case Iop_Add64: *value = a + b; return True;
    case Iop_Sub64: *value = a - b; return True;
    case Iop_Mul64: *value = a * b; return True;
    case Iop_And64: *value = a & b; return True;
    case Iop_Shl64: *value = a << (b & 63); return True;
    case Iop_Add32: *value = (UInt)(a + b); return True;
    case Iop_Sub32: *value = (UInt)(a - b); return True;
    case Iop_Shl32: *value = (UInt)(a << (b & 31)); return True;
    default: return False;
    }
}

static void evaluate(struct values *all, IRTemp to, const IRExpr *made) {
    ULong a, b, value = 0;
    Bool is = False;
    all->made[to] = made;
    if (all->known[to]) return;
    switch (made->tag) {
    case Iex_RdTmp:
    case Iex_Const: is = value_of(all, made, &value); break;
    case Iex_Get:
        is = got(all, made->Iex.Get.offset, (SizeT)sizeofIRType(made->Iex.Get.ty), &value);
        break;
    case Iex_Unop:
        is = value_of(all, made->Iex.Unop.arg, &a) && of_unop(made->Iex.Unop.op, a, &value);
        break;
    case Iex_Binop:
        is = value_of(all, made->Iex.Binop.arg1, &a) && value_of(all, made->Iex.Binop.arg2, &b) &&
             of_binop(made->Iex.Binop.op, a, b, &value);
        break;
    case Iex_Load:
        is = value_of(all, made->Iex.Load.addr, &a) &&
             loaded(a, (SizeT)sizeofIRType(made->Iex.Load.ty), &value);
        break;
    default: break;
    }
    if (is) know(all, to, value);
}

/* What a distance was added to is known if the sum is. */
static void invert(struct values *all, IRTemp of, const IRExpr *made) {
    if (!all->known[of]) return;
    if (made->tag == Iex_RdTmp) know(all, made->Iex.RdTmp.tmp, all->values[of]);
    ULong distance;
    if (made->tag != Iex_Binop || made->Iex.Binop.arg1->tag != Iex_RdTmp ||
        made->Iex.Binop.arg2->tag != Iex_Const || !value_of(all, made->Iex.Binop.arg2, &distance))
        return;
    IRTemp from = made->Iex.Binop.arg1->Iex.RdTmp.tmp;
    if (made->Iex.Binop.op == Iop_Add64) know(all, from, all->values[of] - distance);
    if (made->Iex.Binop.op == Iop_Sub64) know(all, from, all->values[of] + distance);
}

/* Where the statements of an instruction begin; the number of all if it is not there. */
static Int begin_of(const IRSB *in, Addr pc) {
    Int at = 0;
    while (at < in->stmts_used &&
           !(in->stmts[at]->tag == Ist_IMark && in->stmts[at]->Ist.IMark.addr == pc))
        at++;
    return at;
}

static void note_put(struct values *all, Int offset, Int size) {
    for (Int byte = offset; byte < offset + size && byte < (Int)sizeof all->put; byte++)
        all->put[byte] = True;
}

/* What the block has put in registers before its instruction is there at the stop. Calls write no
 * general registers but by their results, or only a few of them. */
static void begin_with_registers(struct values *all, Int end) {
    for (Int i = 0; i < end; i++) {
        const IRStmt *statement = all->in->stmts[i];
        if (statement->tag == Ist_Put) {
            IRType type = typeOfIRExpr(all->in->tyenv, statement->Ist.Put.data);
            note_put(all, statement->Ist.Put.offset, sizeofIRType(type));
        } else if (statement->tag == Ist_Dirty) {
            const IRDirty *call = statement->Ist.Dirty.details;
            for (Int j = 0; j < call->nFxState; j++)
                note_put(all, call->fxState[j].offset, call->fxState[j].size);
        }
    }
    UChar later[sizeof all->put];
    VG_(memset)(later, 0, sizeof later);
    for (Int i = end; i-- > 0;) {
        const IRStmt *statement = all->in->stmts[i];
        if (statement->tag == Ist_Put) {
            const IRExpr *data = statement->Ist.Put.data;
            Int offset = statement->Ist.Put.offset;
            IRType type = typeOfIRExpr(all->in->tyenv, data);
            if (offset >= (Int)sizeof later) continue;
            ULong value;
            if (type == Ity_I64 && data->tag == Iex_RdTmp && !later[offset] &&
                register_at(offset, sizeof value, &value))
                know(all, data->Iex.RdTmp.tmp, value);
            for (Int j = 0; j < sizeofIRType(type) && offset + j < (Int)sizeof later; j++)
                later[offset + j] = 1;
        } else if (statement->tag == Ist_WrTmp) {
            invert(all, statement->Ist.WrTmp.tmp, statement->Ist.WrTmp.data);
        }
    }
}

/* ---- the parts of an address ---- */

static const IRExpr *made_of(const struct values *all, const IRExpr *atom) {
    return atom->tag == Iex_RdTmp ? all->made[atom->Iex.RdTmp.tmp] : NULL;
}

/* The variables of a function lie so near to its stack pointer. */
#define RSP (((Int)offsetof(VexGuestAMD64State, guest_RSP) - FIRST_REGISTER_OFFSET) / 8)
#define RED_ZONE 128
#define FRAME_MOST (1u << 16)

/* Whether an address is the stack or frame pointer and a constant. */
static Bool is_frame(const struct values *all, const IRExpr *address) {
    for (const IRExpr *made = made_of(all, address); made;) {
        if (made->tag == Iex_Get)
            return made->Iex.Get.offset == offsetof(VexGuestAMD64State, guest_RSP) ||
                   made->Iex.Get.offset == offsetof(VexGuestAMD64State, guest_RBP);
        if (made->tag != Iex_Binop || made->Iex.Binop.arg2->tag != Iex_Const) return False;
        made = made_of(all, made->Iex.Binop.arg1);
    }
    return False;
}

/* Whether all bits of a loaded value are defined: who has left it undefined has not stored it. */
static Bool is_defined(Addr address, SizeT size) {
    if (!is_followed(address, size)) return False;
    for (SizeT i = 0; i < size; i++)
        if (*(const volatile UChar *)(VALUES_OF(address) + i)) return False;
    return True;
}

static Addr function_of(Addr pc) {
    const HChar *name, *plus = NULL;
    if (!VG_(get_fnname_w_offset)(VG_(current_DiEpoch)(), pc, &name)) return 0;
    for (; *name; name++)
        if (*name == '+') plus = name;
    return plus ? pc - (Addr)VG_(strtoll10)(plus + 1, NULL) : pc;
}

/* Whether an instruction of the function that was stopped stores an argument as it came. */
static Bool stores_argument(Addr writer) {
    Addr function = function_of(writer);
    if (!function || function != function_of(question.pc)) return False;
    question.argument_at = writer;
    question.is_argument = False;
    translate(function);
    question.argument_at = 0;
    return question.is_argument;
}

struct found {
    const IRExpr *load;
    ULong kind, value;
};
static struct found found[WHENCE_WRITTEN_MOST];
static UInt found_count;

static void find(const struct values *all, const IRExpr *load, ULong kind) {
    ULong at, value;
    SizeT size = (SizeT)sizeofIRType(load->Iex.Load.ty);
    if (found_count == WHENCE_WRITTEN_MOST || !value_of(all, load->Iex.Load.addr, &at)) return;
    if (loaded(at, size, &value)) found[found_count++] = (struct found){load, kind, value};
}

/* A number that is extended or multiplied, and no more than that. */
static void find_index(const struct values *all, const IRExpr *atom) {
    for (const IRExpr *made = made_of(all, atom); made;) {
        if (made->tag == Iex_Load) {
            find(all, made, WHENCE_WRITTEN_INDEX);
            return;
        }
        if (made->tag == Iex_Unop)
            made = made_of(all, made->Iex.Unop.arg);
        else if (made->tag == Iex_Binop && made->Iex.Binop.arg2->tag == Iex_Const &&
                 (made->Iex.Binop.op == Iop_Shl64 || made->Iex.Binop.op == Iop_Mul64))
            made = made_of(all, made->Iex.Binop.arg1);
        else
            return;
    }
}

#define DEPTH_MOST 32

/* Whether a part of an address is a number by how it was made. */
static Bool is_scaled(const struct values *all, const IRExpr *atom) {
    const IRExpr *made = made_of(all, atom);
    while (made && made->tag == Iex_RdTmp) made = made_of(all, made);
    if (!made) return False;
    if (made->tag == Iex_Unop) return True;
    return made->tag == Iex_Binop &&
           (made->Iex.Binop.op == Iop_Shl64 || made->Iex.Binop.op == Iop_Mul64);
}

/* A pointer is above all that can be an index of a small block; where both parts are less, or more,
 * nobody knows. */
#define POINTER_LEAST (1ull << 20)
static Bool is_pointer(ULong value) { return value >= POINTER_LEAST && value >> 47 == 0; }

/* Which part of a sum is the pointer: the first, the second or neither, as 1, 2 or 0. */
static UInt pointer_of(const struct values *all, const IRExpr *a, const IRExpr *b) {
    ULong first = 0, second = 0;
    if (!value_of(all, a, &first) || !value_of(all, b, &second)) return 0;
    /* A large constant is where a variable lies, or a member far behind its pointer. */
    if (b->tag == Iex_Const) return second + POINTER_LEAST < 2 * POINTER_LEAST ? 1 : 0;
    Bool is_first = is_scaled(all, a), is_second = is_scaled(all, b);
    if (is_first != is_second) return is_first ? 2 : 1;
    if (is_pointer(first) != is_pointer(second)) return is_pointer(first) ? 1 : 2;
    return 0;
}

static void find_parts(const struct values *all, const IRExpr *atom, UInt depth) {
    const IRExpr *made = made_of(all, atom);
    if (!made || depth == DEPTH_MOST) return;
    if (made->tag == Iex_RdTmp) {
        find_parts(all, made, depth + 1);
    } else if (made->tag == Iex_Load) {
        find(all, made, WHENCE_WRITTEN_POINTER);
    } else if (made->tag == Iex_Binop &&
               (made->Iex.Binop.op == Iop_Add64 || made->Iex.Binop.op == Iop_Sub64)) {
        const IRExpr *a = made->Iex.Binop.arg1, *b = made->Iex.Binop.arg2;
        Bool is_sum = made->Iex.Binop.op == Iop_Add64;
        UInt which = is_sum ? pointer_of(all, a, b) : 1;
        if (!which) return;
        find_parts(all, which == 1 ? a : b, depth + 1);
        if (is_sum) find_index(all, which == 1 ? b : a);
    }
}

static const IRExpr *address_of(const IRStmt *statement) {
    switch (statement->tag) {
    case Ist_WrTmp:
        return statement->Ist.WrTmp.data->tag == Iex_Load ? statement->Ist.WrTmp.data->Iex.Load.addr
                                                          : NULL;
    case Ist_Store: return statement->Ist.Store.addr;
    case Ist_StoreG: return statement->Ist.StoreG.details->addr;
    case Ist_LoadG: return statement->Ist.LoadG.details->addr;
    case Ist_CAS: return statement->Ist.CAS.details->addr;
    case Ist_Dirty: return statement->Ist.Dirty.details->mAddr;
    default: return NULL;
    }
}

static void look_for_parts(struct values *all) {
    const IRSB *in = all->in;
    Int begin = begin_of(in, question.pc), i = 0;
    begin_with_registers(all, begin);
    for (; i < in->stmts_used; i++) {
        const IRStmt *statement = in->stmts[i];
        ULong value;
        if (i > begin && statement->tag == Ist_IMark) return;
        const IRExpr *address = i > begin ? address_of(statement) : NULL;
        if (address && value_of(all, address, &value) && value == question.address) {
            find_parts(all, address, 0);
            return;
        }
        if (statement->tag == Ist_WrTmp)
            evaluate(all, statement->Ist.WrTmp.tmp, statement->Ist.WrTmp.data);
    }
}

/* ---- undefined values ---- */

/* Whether some of the bits of a loaded value are undefined, by the tag of the use. Those of new
 * blocks have no writer; those of new frames may have an old one. */
static Bool is_used(Addr address, SizeT size) {
    if (address < WHENCE_VALUES_BEGIN || !is_followed(address, size) || size > 8) return False;
    UInt bits = 0;
    for (SizeT i = 0; i < size; i++) bits |= *(const volatile UChar *)(VALUES_OF(address) + i);
    return bits && *(const volatile UInt *)TAG_OF(address) == question.tag;
}

/* The load that brings in the bits, if there is only one. */
static void look_for_undefined(struct values *all) {
    const IRSB *in = all->in;
    Int begin = begin_of(in, question.pc);
    Addr first = 0;
    begin_with_registers(all, begin);
    for (Int i = 0; i < in->stmts_used; i++) {
        const IRStmt *statement = in->stmts[i];
        ULong at;
        if (i > begin && statement->tag == Ist_IMark) break;
        if (statement->tag != Ist_WrTmp) continue;
        const IRExpr *made = statement->Ist.WrTmp.data;
        if (made->tag == Iex_Load && value_of(all, made->Iex.Load.addr, &at) &&
            is_used(at, (SizeT)sizeofIRType(made->Iex.Load.ty))) {
            found_count = !first || first == at;
            first = at;
            found[0] = (struct found){made, WHENCE_WRITTEN_USED, 0};
            if (!found_count) return;
        }
        evaluate(all, statement->Ist.WrTmp.tmp, made);
    }
}

/* ---- arguments ---- */

static Bool is_argument_register(Int offset) {
    static const Int registers[] = {
        offsetof(VexGuestAMD64State, guest_RDI), offsetof(VexGuestAMD64State, guest_RSI),
        offsetof(VexGuestAMD64State, guest_RDX), offsetof(VexGuestAMD64State, guest_RCX),
        offsetof(VexGuestAMD64State, guest_R8),  offsetof(VexGuestAMD64State, guest_R9)};
    for (UInt i = 0; i < sizeof registers / sizeof *registers; i++)
        if (offset == registers[i]) return True;
    return False;
}

static void look_for_argument(struct values *all) {
    const IRSB *in = all->in;
    Bool is_here = False;
    for (Int i = 0; i < in->stmts_used; i++) {
        const IRStmt *statement = in->stmts[i];
        if (statement->tag == Ist_IMark) {
            if (is_here) return;
            is_here = statement->Ist.IMark.addr == question.argument_at;
        } else if (statement->tag == Ist_Put) {
            if (statement->Ist.Put.offset < (Int)sizeof all->put)
                all->put[statement->Ist.Put.offset] = True;
        } else if (statement->tag == Ist_WrTmp) {
            const IRExpr *made = statement->Ist.WrTmp.data;
            /* Of a register that has been put, nothing is said. */
            Bool is_old = made->tag == Iex_Get && made->Iex.Get.offset < (Int)sizeof all->put &&
                          !all->put[made->Iex.Get.offset];
            if (made->tag != Iex_Get || is_old) all->made[statement->Ist.WrTmp.tmp] = made;
        } else if (is_here && statement->tag == Ist_Store) {
            const IRExpr *made = made_of(all, statement->Ist.Store.data);
            while (made && made->tag == Iex_Unop) made = made_of(all, made->Iex.Unop.arg);
            question.is_argument =
                made && made->tag == Iex_Get && is_argument_register(made->Iex.Get.offset);
            return;
        }
    }
}

/* ---- the answer ---- */

void explain_block(const IRSB *in) {
    SizeT count = (SizeT)in->tyenv->types_used + 1;
    static struct values all;
    VG_(memset)(&all, 0, sizeof all);
    all.in = in;
    all.made = VG_(calloc)("whence.explained", count, sizeof *all.made);
    all.values = VG_(calloc)("whence.explained", count, sizeof *all.values);
    all.known = VG_(calloc)("whence.explained", count, sizeof *all.known);
    if (question.argument_at) {
        look_for_argument(&all);
    } else {
        found_count = 0;
        if (question.tag)
            look_for_undefined(&all);
        else
            look_for_parts(&all);
        question.count = 0;
        for (UInt i = 0; i < found_count; i++) {
            const IRExpr *load = found[i].load;
            ULong at = 0;
            SizeT size = (SizeT)sizeofIRType(load->Iex.Load.ty);
            if (!value_of(&all, load->Iex.Load.addr, &at) ||
                (!question.tag && !is_defined(at, size)))
                continue;
            Addr writer = writer_of(at, size);
            if (!writer) continue;
            UWord *row = question.rows + (SizeT)ROW_WORDS * question.count++;
            row[0] = found[i].kind;
            row[1] = found[i].value;
            row[2] = writer;
            row[3] = is_frame(&all, load->Iex.Load.addr) &&
                     at - (question.registers[RSP] - RED_ZONE) < FRAME_MOST;
        }
    }
    VG_(free)(all.made);
    VG_(free)(all.values);
    VG_(free)(all.known);
}

/* The block of code that a thread of the program has begun last. */
static Addr block_of(ThreadId thread) {
    Addr begin;
    VG_(get_shadow_regs_area)(thread, (UChar *)&begin, 2, offsetof(VexGuestAMD64State, guest_RIP),
                              sizeof begin);
    return begin;
}

UInt explain(ThreadId thread, UWord *words, Bool is_use) {
    struct access *mine = &accesses[thread];
    Addr begin = block_of(thread), pc = words[0];
    if (!values_on || !begin) return 0;
    if (mine->begin_pc == pc) begin = mine->begin;
    mine->begin_pc = 0;
    question = (struct question){
        .thread = thread, .pc = pc, .address = words[1], .tag = is_use ? mine->tag : 0};
    if (is_use && !mine->tag) return 0;
    question.rows = words + FIRST_ROW;
    VG_(memcpy)(question.registers, words + FIRST_REGISTER, sizeof question.registers);
    translate(begin);
    for (UInt i = 0; i < question.count; i++) {
        UWord *row = question.rows + (SizeT)ROW_WORDS * i;
        row[3] = row[3] && stores_argument(row[2]);
    }
    return question.count;
}

/* The code before an instruction at which a block was left is in that block. */
void keep_begin(ThreadId thread) {
    struct access *mine = &accesses[thread];
    if (!values_on) return;
    mine->begin = block_of(thread);
    if (mine->begin == mine->left_at) mine->begin = mine->left_begin;
    mine->begin_pc = mine->pc;
    mine->left_at = 0;
}
