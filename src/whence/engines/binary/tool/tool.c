/* The tool that executes a program without IR: it looks at the state byte of each access, and
 * leaves what is wrong to whence's runtime in the program.
 *
 * Copyright (C) the authors of whence.
 *
 * This program is free software; you can redistribute it and/or modify it under the terms of the
 * GNU General Public License as published by the Free Software Foundation; either version 2 of the
 * License, or (at your option) any later version. It is a program of its own, linked with
 * Valgrind's core and no part of whence's library; the file LICENSE beside it says more.
 *
 * How it works. The runtime, a library in the program, keeps the state plane and asks the tool by
 * client requests (../../../../runtime/include/whence/observed.h, whose numbers reach this file as
 * macros) which code is not to be looked at, and to begin. From then on each block of code that is
 * translated gets, before each access, a look at the state bytes of its first and last byte. Where
 * one is not 0, `look` decides. A wrong access becomes a fault of the program: `look` touches
 * memory that no program has, so that the core delivers SIGSEGV at the instruction with all
 * registers as they are. The runtime's handler asks the tool what the access was, judges it by the
 * rules, and lets the instruction run again with the request that allows it.
 */
#include "libvex_guest_amd64.h"
#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_clreq.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_transtab.h"
#include "pub_tool_vki.h"
#include "valgrind.h"

#define GRANULE 8
/* A gather of vector code has 16 addresses, and the instruction may be met as new code, too. */
#define ALLOWED_MOST 40u
#define EVERYTHING ((SizeT)1 << 47)

/* ---- code ---- */

struct range {
    Addr begin, end;
};
struct ranges {
    struct range parts[WHENCE_RANGES_MOST];
    UInt count;
};
static struct ranges apart; /* is not looked at */
static struct ranges known; /* its calls lead where they should */
static Bool begun;

static Bool holds(const struct ranges *ranges, Addr address) {
    for (UInt i = 0; i < ranges->count; i++)
        if (address - ranges->parts[i].begin < ranges->parts[i].end - ranges->parts[i].begin)
            return True;
    return False;
}

static Bool add(struct ranges *ranges, Addr begin, Addr end) {
    if (ranges->count == WHENCE_RANGES_MOST) return False;
    ranges->parts[ranges->count++] = (struct range){begin, end};
    return True;
}

static void drop(struct ranges *ranges, Addr begin, Addr end) {
    for (UInt i = ranges->count; i-- > 0;)
        if (ranges->parts[i].begin < end && begin < ranges->parts[i].end)
            ranges->parts[i] = ranges->parts[--ranges->count];
}

/* Other code may lie there next. */
static void unmapped(Addr begin, SizeT size) {
    drop(&apart, begin, begin + size);
    drop(&known, begin, begin + size);
}

/* ---- accesses ---- */

struct access {
    Addr address, pc;
    SizeT size;
    Bool write, pending;
    ULong kind;                 /* WHENCE_MET_... */
    Addr allowed[ALLOWED_MOST]; /* by the instruction at allowed_pc, until another one is stopped */
    Addr allowed_pc;
    UInt allowances;
};
static struct access *accesses; /* by thread */

static void allow(struct access *mine) {
    if (mine->allowed_pc != mine->pc) mine->allowances = 0;
    mine->allowed_pc = mine->pc;
    mine->allowed[mine->allowances++ % ALLOWED_MOST] = mine->address;
}

static Bool is_allowed(const struct access *mine) {
    if (mine->allowed_pc != mine->pc) return False;
    for (UInt i = 0; i < mine->allowances && i < ALLOWED_MOST; i++)
        if (mine->allowed[i] == mine->address) return True;
    return False;
}

/* Stops the program before its next instruction, unless the runtime has allowed what it does. */
static void stop(struct access *mine) {
    if (is_allowed(mine)) return;
    mine->pending = True;
    *(volatile UChar *)(Addr)WHENCE_NOWHERE = 0;
}

/* The file's part that an address of code lies in; none for code that a program makes itself. */
static struct range file_around(Addr pc) {
    const NSegment *segment = VG_(am_find_nsegment)(pc);
    if (!segment || segment->kind != SkFileC) return (struct range){0, 0};
    return (struct range){segment->start, segment->end + 1};
}

/* Called before a block of code that nobody has announced. */
static void meet(Addr pc) {
    struct access *mine = &accesses[VG_(get_running_tid)()];
    if (holds(&known, pc) || holds(&apart, pc)) return;
    mine->address = mine->pc = pc;
    mine->kind = WHENCE_MET_CODE;
    stop(mine);
}

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

static void look(Addr address, HWord size_and_write, Addr pc) {
    struct access *mine = &accesses[VG_(get_running_tid)()];
    SizeT size = size_and_write >> 1;
    Addr closed = first_closed(address, size);
    if (closed == address + size) return;
    mine->address = address;
    mine->size = size;
    mine->write = size_and_write & 1;
    mine->pc = pc;
    mine->kind = WHENCE_MET_ACCESS;
    if (!is_aligned_read(mine, closed)) stop(mine);
}

/* ---- requests of the program ---- */

/* Those of valgrind.h that the core hands to tools, and those of memcheck.h: the runtime knows
 * them. */
static Bool is_for_runtime(ULong number) {
    return number == VG_USERREQ__COUNT_ERRORS || number >> 8 == VG_USERREQ__MALLOCLIKE_BLOCK >> 8 ||
           number >> 8 == VG_USERREQ__PRINTF >> 8 ||
           number >> 8 == VG_USERREQ__CHANGE_ERR_DISABLEMENT >> 8 ||
           number >> 16 == VG_USERREQ_TOOL_BASE('M', 'C') >> 16;
}

/* Called before a request, whose number and words are at `words`. */
static void hand_on(Addr words, Addr pc) {
    struct access *mine = &accesses[VG_(get_running_tid)()];
    if (!is_for_runtime(*(ULong *)words)) return;
    mine->address = words;
    mine->pc = pc;
    mine->kind = WHENCE_MET_REQUEST;
    mine->pending = True;
    *(volatile UChar *)(Addr)WHENCE_NOWHERE = 0;
}

/* ---- the code that looks ---- */

struct block {
    IRSB *out;
    Bool *by_stack;    /* temporaries that are the stack pointer and a constant */
    Int stack_pointer; /* where the core keeps it */
    IRExpr *pc;
};

static IRExpr *put(struct block *block, IRType type, IRExpr *value) {
    IRTemp temporary = newIRTemp(block->out->tyenv, type);
    addStmtToIRSB(block->out, IRStmt_WrTmp(temporary, value));
    return IRExpr_RdTmp(temporary);
}

static IRExpr *word(ULong value) { return IRExpr_Const(IRConst_U64(value)); }

static IRType type_of(SizeT granules) {
    return granules > 4 ? Ity_I64 : granules > 2 ? Ity_I32 : granules > 1 ? Ity_I16 : Ity_I8;
}

/* The states of so many granules from that of an address on, as a word. */
static IRExpr *states(struct block *block, IRExpr *address, SizeT granules) {
    IRExpr *granule =
        put(block, Ity_I64, IRExpr_Binop(Iop_Shr64, address, IRExpr_Const(IRConst_U8(3))));
    IRExpr *at = put(block, Ity_I64, IRExpr_Binop(Iop_Add64, granule, word(WHENCE_STATE_OFFSET)));
    IRType type = type_of(granules);
    IRExpr *loaded = put(block, type, IRExpr_Load(Iend_LE, type, at));
    if (type == Ity_I64) return loaded;
    IROp widen = type == Ity_I32 ? Iop_32Uto64 : type == Ity_I16 ? Iop_16Uto64 : Iop_8Uto64;
    return put(block, Ity_I64, IRExpr_Unop(widen, loaded));
}

/* Whether an address is the stack pointer's and a constant: then it is the compiler's own. */
static Bool is_stack(const struct block *block, const IRExpr *address) {
    return address->tag == Iex_RdTmp && block->by_stack[address->Iex.RdTmp.tmp];
}

static void check(struct block *block, IRExpr *address, SizeT size, Bool write, IRExpr *guard) {
    if (!size || address->tag == Iex_Const || is_stack(block, address)) return;
    SizeT granules = (size + GRANULE - 1) / GRANULE;
    IRExpr *found = states(block, address, granules > 8 ? 8 : granules);
    if (size > 1) {
        IRExpr *last = put(block, Ity_I64, IRExpr_Binop(Iop_Add64, address, word(size - 1)));
        found = put(block, Ity_I64, IRExpr_Binop(Iop_Or64, found, states(block, last, 1)));
    }
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

static void note_stack(struct block *block, IRTemp to, const IRExpr *value) {
    if (value->tag == Iex_Get)
        block->by_stack[to] = value->Iex.Get.offset == block->stack_pointer;
    else if (value->tag == Iex_RdTmp)
        block->by_stack[to] = is_stack(block, value);
    else if (value->tag == Iex_Binop &&
             (value->Iex.Binop.op == Iop_Add64 || value->Iex.Binop.op == Iop_Sub64))
        block->by_stack[to] =
            is_stack(block, value->Iex.Binop.arg1) && value->Iex.Binop.arg2->tag == Iex_Const;
}

/* Whether an instruction that reads memory exchanges it, too. */
static Bool exchanges(const IRSB *in, Int at, const IRExpr *address) {
    for (at++; at < in->stmts_used && in->stmts[at]->tag != Ist_IMark; at++) {
        const IRStmt *statement = in->stmts[at];
        if (statement->tag == Ist_CAS && eqIRAtom(statement->Ist.CAS.details->addr, address))
            return True;
    }
    return False;
}

static void check_statement(struct block *block, const IRSB *in, Int place) {
    IRSB *out = block->out;
    const IRStmt *statement = in->stmts[place];
    switch (statement->tag) {
    case Ist_IMark: block->pc = word(statement->Ist.IMark.addr); break;
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

static void call_meet(struct block *block) {
    IRDirty *call =
        unsafeIRDirty_0_N(0, "meet", VG_(fnptr_to_fnentry)(&meet), mkIRExprVec_1(block->pc));
    call->mFx = Ifx_Read; /* so that registers are as they should be */
    call->mAddr = block->pc;
    call->mSize = 1;
    addStmtToIRSB(block->out, IRStmt_Dirty(call));
}

static void call_hand_on(struct block *block) {
    IRExpr *words =
        put(block, Ity_I64, IRExpr_Get(offsetof(VexGuestAMD64State, guest_RAX), Ity_I64));
    IRDirty *call = unsafeIRDirty_0_N(0, "hand_on", VG_(fnptr_to_fnentry)(&hand_on),
                                      mkIRExprVec_2(words, block->pc));
    call->mFx = Ifx_Read;
    call->mAddr = words;
    call->mSize = 8;
    addStmtToIRSB(block->out, IRStmt_Dirty(call));
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                        const VexGuestExtents *extents, const VexArchInfo *machine, IRType guest,
                        IRType host) {
    (void)extents, (void)machine, (void)guest, (void)host;
    if (!begun || holds(&apart, closure->nraddr)) return in;
    struct block block = {deepCopyIRSBExceptStmts(in), NULL, layout->offset_SP, word(0)};
    SizeT temporaries = (SizeT)in->tyenv->types_used;
    Bool by_stack[temporaries + 1];
    VG_(memset)(by_stack, 0, temporaries + 1);
    block.by_stack = by_stack;
    Bool is_new = !holds(&known, closure->nraddr) && file_around(closure->nraddr).end;
    for (Int i = 0; i < in->stmts_used; i++) {
        IRStmt *statement = in->stmts[i];
        if (!statement || statement->tag == Ist_NoOp) continue;
        check_statement(&block, in, i);
        addStmtToIRSB(block.out, statement);
        if (is_new && statement->tag == Ist_IMark) {
            call_meet(&block);
            is_new = False;
        }
        if (statement->tag == Ist_WrTmp)
            note_stack(&block, statement->Ist.WrTmp.tmp, statement->Ist.WrTmp.data);
    }
    if (in->jumpkind == Ijk_ClientReq) call_hand_on(&block);
    return block.out;
}

/* ---- requests of the runtime ---- */

static Bool request(ThreadId thread, UWord *words, UWord *result) {
    struct access *mine = &accesses[thread];
    switch (words[0]) {
    case WHENCE_REQUEST_APART:
        *result = add(&apart, words[1], words[2]);
        VG_(discard_translations_safely)(words[1], words[2] - words[1], "whence: apart");
        return True;
    case WHENCE_REQUEST_KNOWN:
        *result = add(&known, words[1], words[2]);
        VG_(discard_translations_safely)(words[1], words[2] - words[1], "whence: known");
        return True;
    case WHENCE_REQUEST_BEGIN:
        begun = True;
        VG_(discard_translations_safely)(0, EVERYTHING, "whence: begin");
        *result = 1;
        return True;
    case WHENCE_REQUEST_ACCESS: {
        UWord *to = (UWord *)words[1];
        *result = mine->pending;
        if (!mine->pending) return True;
        mine->pending = False;
        to[0] = mine->address;
        to[1] = mine->size;
        to[2] = mine->write;
        to[3] = mine->kind;
        to[4] = mine->pc;
        return True;
    }
    case WHENCE_REQUEST_ALLOW:
        if (words[1]) { /* code that is no image */
            struct range file = file_around(mine->pc);
            add(&known, file.begin, file.end);
        }
        allow(mine);
        *result = 1;
        return True;
    case WHENCE_REQUEST_MET:
        *result = !holds(&known, words[1]) && !holds(&apart, words[1]);
        return True;
    case WHENCE_REQUEST_OWNER:
        *result =
            VG_(am_is_valid_for_client)(words[1], 1, words[2] ? VKI_PROT_WRITE : VKI_PROT_NONE);
        return True;
    default: return False;
    }
}

/* ---- the core ---- */

/* What the core takes from the compiler's own library, which not every compiler has. */
__attribute__((weak)) int __popcountdi2(long word);
__attribute__((weak)) int __popcountdi2(long word) {
    int count = 0;
    for (unsigned long left = (unsigned long)word; left; left &= left - 1) count++;
    return count;
}

/* What Valgrind's own launcher would say: where the core's files are, and who starts children. */
HChar *__real_vgPlain_getenv(const HChar *name);
HChar *__wrap_vgPlain_getenv(const HChar *name);
HChar *__wrap_vgPlain_getenv(const HChar *name) {
    static HChar folder[] = WHENCE_HELPERS, own[VKI_PATH_MAX];
    if (VG_STREQ(name, "VALGRIND_LIB")) return folder;
    if (!VG_STREQ(name, "VALGRIND_LAUNCHER")) return __real_vgPlain_getenv(name);
    if (!own[0]) {
        SSizeT length = VG_(readlink)("/proc/self/exe", own, sizeof own - 1);
        own[length > 0 ? length : 0] = 0;
    }
    return own;
}

/* The core would read debug information, which whence does itself, and fails on some of it. */
void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void);
void __wrap_vgModuleLocal_new_dwarf3_reader(void);
void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void) {}
void __wrap_vgModuleLocal_new_dwarf3_reader(void) {}

/* The core leaves the number open under which it has opened its log first; the program would see
 * it. */
static void close_log(void) {
    for (Int file = 3; file < 64; file++) {
        HChar link[32], path[VKI_PATH_MAX];
        VG_(sprintf)(link, "/proc/self/fd/%d", file);
        SSizeT length = VG_(readlink)(link, path, sizeof path - 1);
        path[length > 0 ? length : 0] = 0;
        if (VG_(strstr)(path, "/" WHENCE_LOG)) VG_(close)(file);
    }
}

static void after_options(void) {
    close_log();
    accesses = VG_(calloc)("whence.accesses", VG_N_THREADS, sizeof *accesses);
}

static void at_end(Int status) { (void)status; }

static void before_options(void) {
    VG_(details_name)("whence");
    VG_(details_version)(NULL);
    VG_(details_description)("accesses by rules");
    VG_(details_copyright_author)("GNU GPL, by the authors of whence.");
    VG_(details_bug_reports_to)("the authors of whence");
    VG_(details_avg_translation_sizeB)(600);
    VG_(basic_tool_funcs)(after_options, instrument, at_end);
    VG_(needs_client_requests)(request);
    VG_(track_die_mem_munmap)(unmapped);
}

VG_DETERMINE_INTERFACE_VERSION(before_options)
