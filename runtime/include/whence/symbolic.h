/* The border to generated code that builds expressions of symbolic values (whence.abi.symbolic).
 *
 * Generated code calls these only where an operand is symbolic, but for calls about ranges. `what`
 * says which expression is wanted (WHENCE_MADE_*); an operand whose number is 0 is the constant
 * beside it. `pc` is a return address in the program. */
#ifndef WHENCE_SYMBOLIC_H
#define WHENCE_SYMBOLIC_H

#include <stdint.h>
#include "whence_abi.h"

/* What calls pass: generated code reads and writes it. */
struct symbolic_passed {
    struct whence_symbolic_passed passed;
    uint32_t arguments[WHENCE_SYMBOLIC_MOST_ARGUMENTS];
    uint32_t results[WHENCE_SYMBOLIC_MOST_RESULTS];
};
extern __thread struct symbolic_passed __whence_symbolic;

uint32_t __whence_symbolic_cold_make(uint32_t what, uint32_t a, uint64_t a_value, uint32_t b,
                                     uint64_t b_value);
uint32_t __whence_symbolic_cold_cast(uint32_t what, uint32_t a);
uint32_t __whence_symbolic_cold_choose(uint32_t condition, uint32_t width, uint32_t a,
                                       uint64_t a_value, uint32_t b, uint64_t b_value);

uint32_t __whence_symbolic_cold_loaded(uint64_t at, uint64_t size, uint64_t value);
void __whence_symbolic_cold_stored(uint64_t at, uint64_t size, uint32_t number);
/* Bytes get values that are concrete; are bound to their values; are copied; are set to one. */
void __whence_symbolic_clear(uint64_t at, uint64_t size);
void __whence_symbolic_bytes(uint64_t at, uint64_t size, uint32_t reason);
void __whence_symbolic_copy(uint64_t to, uint64_t from, uint64_t size);
void __whence_symbolic_set(uint64_t at, uint32_t number, uint64_t size);

/* A block ends with a branch, or a switch; line: the byte of its last line, or 0. */
void __whence_symbolic_cold_decide(uint32_t condition, uint64_t taken, uint64_t line, uint64_t pc);
void __whence_symbolic_cold_select(uint32_t scrutinee, uint64_t value, const uint64_t *cases,
                                   uint64_t line, uint64_t pc);
void __whence_symbolic_cold_bind(uint32_t number, uint64_t value, uint32_t reason, uint64_t pc);
/* An access of `size` bytes through a symbolic address, to an object that the code names (`root`,
 * `extent`; 0 if it does not): WH_TRACED_*, for which the address is bound; a load of `value`,
 * whose expression is the result; a store of `value` with an expression. */
void __whence_symbolic_cold_reach(uint32_t address, uint64_t at, uint64_t size, uint64_t root,
                                  uint64_t extent, uint32_t how, uint64_t pc);
uint32_t __whence_symbolic_cold_seek(uint32_t address, uint64_t at, uint64_t size, uint64_t root,
                                     uint64_t extent, uint64_t value, uint64_t pc);
void __whence_symbolic_cold_put(uint32_t address, uint64_t at, uint64_t size, uint64_t root,
                                uint64_t extent, uint32_t number, uint64_t value, uint64_t pc);
/* Says only that there is such an access. */
void __whence_symbolic_cold_tell(uint32_t address, uint64_t at, uint64_t size, uint64_t root,
                                 uint64_t extent, uint32_t how, uint64_t pc);
/* A division or a shift (WH_OP_*) is about to be made. */
void __whence_symbolic_cold_check(uint32_t what, uint32_t a, uint64_t a_value, uint32_t b,
                                  uint64_t b_value, uint64_t pc);
/* A step that an active rule is about is about to be made; the condition: whether rules see it.
 * what: the point, and from WHENCE_STEP_KNOWN_SHIFT on a bit for each of the point's first slots
 * whose value is known: these follow, as expressions and values. */
void __whence_symbolic_cold_step(uint32_t condition, uint32_t what, uint32_t a, uint64_t a_value,
                                 uint32_t b, uint64_t b_value, uint32_t c, uint64_t c_value,
                                 uint32_t d, uint64_t d_value, uint64_t pc);

/* A library function is about to access so many bytes, the product of two numbers. */
void __whence_symbolic_cold_extent(uint32_t address, uint64_t at, uint32_t a, uint64_t a_value,
                                   uint32_t b, uint64_t b_value, uint64_t pc);

/* The function that arguments were passed to has not taken them. */
void __whence_symbolic_cold_untaken(uint64_t function, uint64_t pc);
/* Results are there that an earlier call has left; are they this function's? */
uint32_t __whence_symbolic_cold_result(uint64_t function, uint32_t index, uint64_t pc);
/* Results that nobody has taken are about to be replaced. */
void __whence_symbolic_cold_replace(uint64_t pc);

/* Code that follows no expressions is called: the arguments that were passed to it are bound; so is
 * what is in the block, or near the address, that one of them points to. */
void __whence_symbolic_leave(uint64_t function);
void __whence_symbolic_lend(uint64_t function, uint64_t at);
int __whence_symbolic_of_format(const char *format);

/* Where the bytes of the program's lines begin and end; both may be 0. */
void __whence_symbolic_shares(uintptr_t begin, uintptr_t end);
/* `main` begins. */
void __whence_symbolic_main(uint64_t count, char **arguments);

#endif
