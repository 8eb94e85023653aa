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
 * rules, and lets the instruction run again with the request that allows it. Undefined values are
 * followed if the runtime asks for it (assumed.c, follow.c).
 */
#include "tool.h"
#include "stops.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"
#include "pub_tool_transtab.h"
#include "valgrind.h"

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

Bool is_apart(Addr pc) { return holds(&apart, pc); }

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
    define(begin, size);
}

/* ---- stops ---- */

struct access *accesses;

void allow(struct access *mine) {
    if (mine->allowed_pc != mine->pc) mine->allowances = 0;
    mine->allowed_pc = mine->pc;
    mine->allowed[mine->allowances++ % ALLOWED_MOST] = mine->address;
}

Bool is_allowed(const struct access *mine) {
    if (mine->allowed_pc != mine->pc) return False;
    for (UInt i = 0; i < mine->allowances && i < ALLOWED_MOST; i++)
        if (mine->allowed[i] == mine->address) return True;
    return False;
}

/* Stops the program before its next instruction, unless the runtime has allowed what it does. */
void stop(struct access *mine) {
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

IRExpr *put(struct block *block, IRType type, IRExpr *value) {
    IRTemp temporary = newIRTemp(block->out->tyenv, type);
    addStmtToIRSB(block->out, IRStmt_WrTmp(temporary, value));
    return IRExpr_RdTmp(temporary);
}

/* What is the stack pointer and a constant; behind those of all temporaries, what was computed
 * from it otherwise. */
void note_stack(struct block *block, IRTemp to, const IRExpr *value) {
    note_base(block, to, value);
    Bool *other = block->by_stack + block->temporaries;
    if (value->tag == Iex_Get) {
        block->by_stack[to] = value->Iex.Get.offset == block->stack_pointer;
        block->below[to] = 0;
    } else if (value->tag == Iex_RdTmp) {
        block->by_stack[to] = is_stack(block, value);
        block->below[to] = block->below[value->Iex.RdTmp.tmp];
        other[to] = other[value->Iex.RdTmp.tmp];
    } else if (value->tag == Iex_Binop && value->Iex.Binop.arg1->tag == Iex_RdTmp) {
        IROp op = value->Iex.Binop.op;
        IRTemp from = value->Iex.Binop.arg1->Iex.RdTmp.tmp;
        const IRExpr *by = value->Iex.Binop.arg2;
        if (op != Iop_Add64 && op != Iop_Sub64 && op != Iop_And64) return;
        Bool is_moved = by->tag == Iex_Const && op != Iop_And64;
        block->by_stack[to] = block->by_stack[from] && is_moved;
        other[to] = (block->by_stack[from] && !is_moved) || other[from];
        if (!is_moved) return;
        Long distance = (Long)by->Iex.Const.con->Ico.U64;
        block->below[to] = block->below[from] + (op == Iop_Add64 ? distance : -distance);
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

/* Where the core has gone on at the target of a call or jump, the state still says that it is at
 * that: a stop would execute it again, behind its push. */
void enter(struct block *block, IRStmt *mark) {
    Bool is_target = block->behind && mark->Ist.IMark.addr != block->behind;
    block->at = mark->Ist.IMark.addr;
    block->behind = block->at + mark->Ist.IMark.len;
    block->pc = word(block->at);
    block->changed = False;
    addStmtToIRSB(block->out, mark);
    if (is_target)
        addStmtToIRSB(block->out, IRStmt_Put(offsetof(VexGuestAMD64State, guest_RIP), block->pc));
    if (block->is_new) call_meet(block);
    block->is_new = False;
}

/* Code in which only accesses are looked at. */
static void look_at_accesses(struct block *block) {
    const IRSB *in = block->in;
    for (Int i = 0; i < in->stmts_used; i++) {
        IRStmt *statement = in->stmts[i];
        if (statement->tag == Ist_NoOp) continue;
        if (statement->tag == Ist_IMark) {
            enter(block, statement);
            continue;
        }
        check_statement(block, i);
        addStmtToIRSB(block->out, statement);
        if (statement->tag == Ist_WrTmp)
            note_stack(block, statement->Ist.WrTmp.tmp, statement->Ist.WrTmp.data);
    }
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                        const VexGuestExtents *extents, const VexArchInfo *machine, IRType guest,
                        IRType host) {
    (void)extents, (void)machine, (void)guest, (void)host;
    if (explaining) {
        explain_block(in);
        return in;
    }
    Bool is_apart_here = holds(&apart, closure->nraddr);
    if (!begun || (is_apart_here && !values_on)) return in;
    if (!is_apart_here) accesses[closure->tid].left_at = 0;
    if (values_on) meet_again(closure->tid, closure->nraddr);
    SizeT count = (SizeT)in->tyenv->types_used;
    static struct block block;
    VG_(memset)(&block, 0, sizeof block);
    Bool by_stack[2 * count + 1];
    Long below[count + 1];
    Long distances[count + 1];
    IRTemp places[count + 1], bits[count + 1], tags[count + 1], bases[count + 1];
    VG_(memset)(by_stack, 0, sizeof by_stack);
    VG_(memset)(below, 0, sizeof below);
    for (SizeT i = 0; i <= count; i++) places[i] = bits[i] = tags[i] = bases[i] = IRTemp_INVALID;
    block.out = deepCopyIRSBExceptStmts(in);
    block.in = in;
    block.layout = layout;
    block.temporaries = (Int)count;
    block.by_stack = by_stack;
    block.below = below;
    block.bases = bases;
    block.distances = distances;
    block.places = places;
    block.bits = bits;
    block.tags = tags;
    block.stack_pointer = layout->offset_SP;
    block.pc = word(0);
    block.begin = closure->nraddr;
    block.is_apart = is_apart_here;
    block.is_new =
        !is_apart_here && !holds(&known, closure->nraddr) && file_around(closure->nraddr).end;
    if (values_on && !is_apart_here) note_block(&block);
    if (!values_on)
        look_at_accesses(&block);
    else if (is_apart_here)
        settle(&block);
    else if (has_met(in))
        follow(&block);
    else
        assume(&block);
    if (in->jumpkind == Ijk_ClientReq && !is_apart_here) call_hand_on(&block);
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
    case WHENCE_REQUEST_VALUES: {
        for (UInt i = 0; i < apart.count; i++)
            if (holds(&(struct ranges){{apart.parts[i]}, 1}, words[1]))
                values_begin(thread, apart.parts[i].begin, apart.parts[i].end);
        VG_(discard_translations_safely)(0, EVERYTHING, "whence: values");
        *result = values_on;
        return True;
    }
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
        to[5] = mine->value;
        to[6] = mine->bits;
        to[7] = mine->tag;
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
    case WHENCE_REQUEST_COPY: {
        const UWord *copied = (const UWord *)words[1];
        copy_later(thread, copied[0], copied[1], copied[2]);
        *result = 1;
        return True;
    }
    case WHENCE_REQUEST_MARK: {
        const UWord *marked = (const UWord *)words[1];
        if (marked[2])
            undefine_block(marked[0], marked[1], (UInt)marked[2]);
        else
            define(marked[0], marked[1]);
        *result = 1;
        return True;
    }
    case WHENCE_REQUEST_WRITTEN:
        *result = explain(thread, (UWord *)words[1], words[2] != 0);
        return True;
    case WHENCE_REQUEST_JUDGE: *result = judge_calls(words[1], words[2]); return True;
    case WHENCE_REQUEST_ARGUMENT:
        *result = noted_argument(thread, (UInt)words[1], (UWord *)words[2]);
        return True;
    case WHENCE_REQUEST_PLACE: *result = place_of_tag((UInt)words[1]); return True;
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

/* The translator would look four times at each block that it makes, whether it is well formed: a
 * tenth of the time of a short program. */
void __wrap_sanityCheckIRSB(void);
void __wrap_sanityCheckIRSB(void) {}

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
    values_callbacks();
}

VG_DETERMINE_INTERFACE_VERSION(before_options)
