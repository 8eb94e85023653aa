; What front ends for C and C++ seldom or never emit, and LLVM still prints.
source_filename = "nasty \22name\22.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

module asm ".globl from_asm # \22quoted\22 { } @x"
module asm "from_asm:"

%0 = type { i32, %"class.std::pair<int, {}>" }
%"class.std::pair<int, {}>" = type <{ i8, i32, [2 x %empty] }>
%empty = type {}
%opaque = type opaque

$group = comdat any
$table = comdat any
$"quoted group" = comdat largest

@plain = global %0 zeroinitializer, section ".data.x", comdat($group), align 16, !dbg !20
@"quo\22ted\\name" = private unnamed_addr constant [5 x i8] c"@a\22\0A\00", align 1
@"\01mangled" = external global ptr
@ptrs = global [4 x ptr] [ptr @plain, ptr getelementptr inbounds (i8, ptr @plain, i64 4), ptr null, ptr @"quo\22ted\\name"]
@block = constant ptr blockaddress(@control, %target)
@equivalent = global ptr dso_local_equivalent @declared
@nocfi = global ptr no_cfi @declared
@difference = constant i32 trunc (i64 sub (i64 ptrtoint (ptr @plain to i64), i64 ptrtoint (ptr @ptrs to i64)) to i32)
@vec = constant <4 x i32> splat (i32 7)
@bits = constant <8 x i1> <i1 true, i1 false, i1 true, i1 undef, i1 poison, i1 true, i1 false, i1 true>
@floats = constant { half, bfloat, float, double, x86_fp80, fp128 } { half 0xH3C00, bfloat 0xR3F80, float 1.500000e+00, double 0x7FF8000000000000, x86_fp80 0xK3FFF8000000000000000, fp128 0xL00000000000000003FFF000000000000 }
@far = addrspace(1) global i32 5
@tls = thread_local(localdynamic) global i32 0
@init = externally_initialized global i32 1, align 4, code_model "large"
@casted = global ptr addrspacecast (ptr addrspace(1) @far to ptr)
@inrange = constant ptr getelementptr inbounds inrange(-16, 24) ({ [3 x ptr] }, ptr @table, i32 0, i32 0, i32 2)
@table = linkonce_odr unnamed_addr constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr null, ptr @declared] }, comdat, align 8

@alias = weak_odr hidden alias i32, getelementptr (i8, ptr @plain, i64 4)
@function_alias = internal alias i32 (i32), ptr @control
@ifunc = ifunc i32 (i32), ptr @resolver

declare i32 @declared(i32, ...)
declare !dbg !11 void @with_metadata(ptr noundef nonnull align 8 captures(none) dereferenceable(8), i32 range(i32 0, 10)) local_unnamed_addr #1
declare ptr @allocate(i32, i32) #3
declare i32 @__gxx_personality_v0(...)
declare i32 @__CxxFrameHandler3(...)
declare void @llvm.va_start.p0(ptr)
declare void @llvm.assume(i1)
declare void @llvm.foo.metadata(metadata)
declare <vscale x 4 x i32> @scalable(<vscale x 4 x i32>)

define internal ptr @resolver() {
  ret ptr @control
}

define i32 @control(i32 %x) prefix { i32, ptr } { i32 5, ptr @plain } prologue i8 1 !dbg !10 {
entry:
  %c = icmp samesign ult i32 %x, 5, !dbg !12
  br i1 %c, label %target, label %"quoted label", !dbg !12, !prof !3

target:
  %p = phi i32 [ 1, %entry ], [ %again, %target ]
  %again = add nuw nsw i32 %p, 1
  #dbg_value(i32 %again, !15, !DIExpression(DW_OP_plus_uconst, 1, DW_OP_stack_value), !12)
  #dbg_value(!DIArgList(i32 %p, i32 %again), !15, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus), !12)
  %more = icmp slt i32 %again, %x
  br i1 %more, label %target, label %"quoted label"

"quoted label":
  %"quoted value" = phi i32 [ 0, %entry ], [ %again, %target ]
  switch i32 %"quoted value", label %end [
    i32 1, label %end
    i32 -2, label %indirect
  ], !dbg !12

indirect:
  indirectbr ptr blockaddress(@control, %target), [label %end, label %other]

other:
  unreachable

end:
  %r = phi i32 [ 1, %"quoted label" ], [ 1, %"quoted label" ], [ 2, %indirect ]
  ret i32 %r, !dbg !12
}

define void @arithmetic(<4 x float> %v, float %f, i64 %i, ptr %p) {
  %1 = fadd fast <4 x float> %v, %v
  %2 = fmul nnan ninf reassoc float %f, 0x3FB99999A0000000
  %3 = fneg contract float %2
  %4 = fcmp ueq <4 x float> %1, zeroinitializer
  %5 = select nsz <4 x i1> %4, <4 x float> %1, <4 x float> splat (float 1.000000e+00)
  %6 = or disjoint i64 %i, 1
  %7 = zext nneg i32 5 to i64
  %8 = trunc nuw nsw i64 %6 to i32
  %9 = uitofp nneg i64 %7 to double
  %10 = sdiv exact i64 %6, 4
  %11 = freeze i64 %10
  %12 = extractelement <4 x float> %5, i32 %8
  %13 = insertelement <4 x float> poison, float %12, i64 0
  %14 = shufflevector <4 x float> %13, <4 x float> %5, <2 x i32> <i32 0, i32 poison>
  %15 = getelementptr inbounds nuw %0, ptr %p, i64 %i, i32 1, i32 2, i64 %11
  %16 = getelementptr nusw i8, <4 x ptr> zeroinitializer, i64 %i
  %17 = getelementptr i32, ptr %p, <2 x i64> <i64 1, i64 2>
  %18 = insertvalue { i32, [2 x float] } undef, float %f, 1, 0
  %19 = extractvalue { i32, [2 x float] } %18, 1, 1
  %20 = ptrtoint ptr %p to i64
  %21 = inttoptr i64 %20 to ptr addrspace(1)
  %22 = bitcast <2 x float> %14 to i64
  %23 = va_arg ptr %p, { i32, ptr }
  %24 = alloca inalloca %0, align 8
  %25 = alloca i8, i64 %i, align 16
  %26 = fcmp ninf oge float %19, %3
  ret void
}

define <vscale x 4 x i32> @vectors(<vscale x 4 x i32> %v) {
  %1 = add <vscale x 4 x i32> %v, splat (i32 3)
  %2 = call <vscale x 4 x i32> @scalable(<vscale x 4 x i32> %1)
  %3 = icmp eq <vscale x 4 x i32> %2, zeroinitializer
  %4 = select <vscale x 4 x i1> %3, <vscale x 4 x i32> %1, <vscale x 4 x i32> %2
  ret <vscale x 4 x i32> %4
}

define i128 @atomics(ptr %p, ptr addrspace(1) %q) {
  %1 = load atomic volatile i32, ptr %p syncscope("singlethread") acquire, align 4
  store atomic i32 %1, ptr %p release, align 4
  store atomic float 1.000000e+00, ptr addrspace(1) %q syncscope("agent") seq_cst, align 4
  %2 = atomicrmw volatile umax ptr %p, i32 5 syncscope("singlethread") monotonic, align 4
  %3 = atomicrmw fadd ptr addrspace(1) %q, float 1.000000e+00 acq_rel, align 4
  %4 = atomicrmw xchg ptr %p, ptr %p seq_cst, align 8
  %5 = cmpxchg weak volatile ptr %p, i32 %1, i32 7 syncscope("singlethread") acq_rel monotonic, align 4
  %6 = cmpxchg ptr %p, ptr null, ptr %p seq_cst seq_cst, align 8
  fence syncscope("singlethread") seq_cst
  fence acquire
  %7 = load volatile i128, ptr %p, align 16, !noundef !2
  %8 = load ptr, ptr getelementptr inbounds (%0, ptr @plain, i64 0, i32 1), align 8, !nonnull !2, !dereferenceable !4
  store <8 x i1> splat (i1 true), ptr %p, align 1, !nontemporal !5
  ret i128 %7
}

define void @calls(ptr %f, ptr sret(%"class.std::pair<int, {}>") align 1 %out, ptr byval(%0) align 8 %s, ...) "no-frame-pointer-elim"="true" gc "statepoint-example" {
  %1 = call i32 (i32, ...) @declared(i32 5, double 1.000000e+00, ptr @plain)
  %2 = tail call fastcc noundef range(i32 0, 5) i32 %f(ptr byval(%0) align 8 %s, i32 inreg zeroext 5) #1
  %3 = notail call reassoc nnan float %f(float nofpclass(nan inf) 1.000000e+00)
  %4 = call { i32, i32 } asm sideeffect alignstack "xchg $0, $1 # {a|b} \22$2\22", "=r,=r,r,~{memory},~{dirflag}"(i32 5), !srcloc !6
  call void asm inteldialect unwind "nop", ""()
  call void %f() [ "deopt"(i32 1, ptr %f), "kcfi"(i32 5), "empty"() ], !custom.name !16
  call void @llvm.assume(i1 true) [ "align"(ptr %f, i64 8), "nonnull"(ptr %f) ]
  call void @llvm.foo.metadata(metadata !2)
  call void @llvm.foo.metadata(metadata i32 5)
  call void @llvm.foo.metadata(metadata ptr %f)
  call void @llvm.va_start.p0(ptr nonnull captures(address, read_provenance) %f)
  %5 = call addrspace(0) ptr addrspace(1) %f(<4 x i32> <i32 1, i32 2, i32 3, i32 4>, [2 x i8] c"ab", { i8, ptr } { i8 1, ptr @plain })
  %6 = call cc 10 noalias noundef nonnull align 16 dereferenceable(8) "custom"="value" ptr %f(ptr sret(%0) align 4 %out, ptr initializes((0, 8), (16, 24)) %f) "nobuiltin" #2
  musttail call void (ptr, ptr, ptr, ...) @calls(ptr %f, ptr sret(%"class.std::pair<int, {}>") align 1 %out, ptr byval(%0) align 8 %s, ...)
  ret void
}

define void @exceptions(ptr %f) personality ptr @__gxx_personality_v0 {
  %1 = invoke i32 (i32, ...) @declared(i32 5)
          to label %2 unwind label %3, !custom.name !17

2:
  invoke void %f() #1 [ "deopt"(i32 1) ]
          to label %8 unwind label %5

3:
  %4 = landingpad { ptr, i32 }
          cleanup
          catch ptr @plain
          catch ptr null
          filter [2 x ptr] [ptr @plain, ptr null]
          filter [0 x ptr] zeroinitializer
  resume { ptr, i32 } %4

5:
  %6 = phi i32 [ %1, %2 ]
  %7 = landingpad { ptr, i32 }
          catch ptr null
  ret void

8:
  callbr void asm sideeffect "jmp ${0:l}", "!i,!i,~{flags}"()
          to label %9 [label %10, label %10], !srcloc !6

9:
  ret void

10:
  ret void
}

define void @funclets() personality ptr @__CxxFrameHandler3 {
  invoke void @with_metadata(ptr @plain, i32 1)
          to label %done unwind label %dispatch

dispatch:
  %cs = catchswitch within none [label %handler, label %"other handler"] unwind label %cleanup

handler:
  %cp = catchpad within %cs [ptr null, i32 64, ptr null]
  call void @with_metadata(ptr @plain, i32 1) [ "funclet"(token %cp) ]
  catchret from %cp to label %done

"other handler":
  %cp2 = catchpad within %cs [ptr @plain, i32 8, ptr null]
  catchret from %cp2 to label %done

cleanup:
  %cl = cleanuppad within none []
  cleanupret from %cl unwind to caller

done:
  ret void
}

define void @uselists(i32 %a) {
  %x = add i32 %a, 1
  %y = add i32 %x, 2
  %z = mul i32 %x, %y
  ret void

  uselistorder i32 %x, { 1, 0 }
}

attributes #0 = { nounwind "key" "key2"="a b\22c" }
attributes #1 = { mustprogress nofree memory(argmem: readwrite, inaccessiblemem: read) vscale_range(1,16) alignstack=16 uwtable(sync) }
attributes #2 = { builtin }
attributes #3 = { allockind("alloc,zeroed") allocsize(0,1) "alloc-family"="malloc" }

!llvm.module.flags = !{!0, !1}
!llvm.dbg.cu = !{!8}
!odd\20name = !{!2, !3}

!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{i32 7, !"quo\22ted @flag", i32 1}
!2 = !{}
!3 = !{!"branch_weights", i32 1, i32 2}
!4 = !{i64 8}
!5 = !{i32 1}
!6 = !{i64 123, i64 456}
!7 = !DIFile(filename: "a, \22b\22.c", directory: "/x (y)")
!8 = distinct !DICompileUnit(language: DW_LANG_C11, file: !7, producer: "none", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, globals: !9)
!9 = !{!20}
!10 = distinct !DISubprogram(name: "control", linkageName: "control_x", scope: !7, file: !7, line: 3, type: !13, unit: !8, spFlags: DISPFlagDefinition)
!11 = !DISubprogram(name: "with_metadata", scope: !7, file: !7, line: 9, type: !13, spFlags: 0)
!12 = !DILocation(line: 5, column: 7, scope: !14, inlinedAt: !18)
!13 = !DISubroutineType(types: !2)
!14 = distinct !DILexicalBlock(scope: !19, file: !7, line: 4)
!15 = !DILocalVariable(name: "v", scope: !19, file: !7, line: 4, type: !23)
!16 = !{!"not a location"}
!17 = !{!"nor this", ptr @plain, !"@plain"}
!18 = distinct !DILocation(line: 6, column: 1, scope: !10)
!19 = distinct !DISubprogram(name: "inlined \22one\22", scope: !7, file: !7, line: 2, type: !13, unit: !8, spFlags: DISPFlagDefinition)
!20 = !DIGlobalVariableExpression(var: !21, expr: !DIExpression())
!21 = distinct !DIGlobalVariable(name: "plain", scope: !8, file: !7, line: 1, type: !23, isLocal: false, isDefinition: true)
!22 = distinct !{!22, !12}
!23 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
