/* What code that is compiled for libFuzzer refers to, where a compiler has no runtime for it: alone
 * the program runs as if nobody fuzzed it. */
#include <stdint.h>

#define NOTHING(name)                                                                              \
    void name(void);                                                                               \
    __attribute__((weak)) void name(void) {}

NOTHING(__sanitizer_cov_8bit_counters_init)
NOTHING(__sanitizer_cov_bool_flag_init)
NOTHING(__sanitizer_cov_pcs_init)
NOTHING(__sanitizer_cov_trace_pc)
NOTHING(__sanitizer_cov_trace_pc_guard)
NOTHING(__sanitizer_cov_trace_pc_guard_init)
NOTHING(__sanitizer_cov_trace_pc_indir)
NOTHING(__sanitizer_cov_trace_cmp1)
NOTHING(__sanitizer_cov_trace_cmp2)
NOTHING(__sanitizer_cov_trace_cmp4)
NOTHING(__sanitizer_cov_trace_cmp8)
NOTHING(__sanitizer_cov_trace_const_cmp1)
NOTHING(__sanitizer_cov_trace_const_cmp2)
NOTHING(__sanitizer_cov_trace_const_cmp4)
NOTHING(__sanitizer_cov_trace_const_cmp8)
NOTHING(__sanitizer_cov_trace_switch)
NOTHING(__sanitizer_cov_trace_div4)
NOTHING(__sanitizer_cov_trace_div8)
NOTHING(__sanitizer_cov_trace_gep)

__attribute__((weak)) _Thread_local uintptr_t __sancov_lowest_stack;
