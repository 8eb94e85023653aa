// Control flow that C compilers spell in many ways.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

int printf(const char *, ...);
static jmp_buf env;

int switches(int x, long y, unsigned char c) {
  switch (x) {
  case 0: return 1;
  case 1 ... 5: x += 2; break;
  case -7: x--; /* fall through */
  case 1000000: x *= 3; break;
  default: x = 0;
  }
  switch (y) { case 1L << 40: return 2; case -1: return 3; }
  switch (c) { default: break; }
  return x;
}

int computed(const unsigned char *code) {
  static void *const table[] = {&&add, &&sub, &&halt};
  int acc = 0;
  goto *table[*code++];
add: acc++; goto *table[*code++];
sub: acc--; goto *table[*code++];
halt: return acc;
}

long label_difference(int i) {
  static const int diffs[] = {(int)(intptr_t)0};
  void *p = i ? &&a : &&b;
  goto *p;
a: return (long)&&a + diffs[0];
b: return 0;
}

int asm_goto(int x) {
  asm goto("testl %0, %0\n\tjne %l[out]\n\tjs %l[other]" : : "r"(x) : "cc" : out, other);
  return 0;
out: return 1;
other: return 2;
}

int asm_goto_output(int x) {
  int y;
  asm goto("movl %1, %0; jne %l2" : "=r"(y) : "r"(x) : : out);
  return y;
out: return -y;
}

int inline_asm(int x, int *p) {
  int a, b;
  asm("{att|intel}" : : );
  asm volatile("xchgl %0, %1 # \"quoted\" { braces } @sym %%eax" : "=r"(a), "+m"(*p) : "0"(x) : "memory");
  asm("movl $0x2a, %[o]" : [o] "=&r"(b));
  asm volatile("cpuid" : "=a"(a), "=b"(b) : "a"(0) : "ecx", "edx");
  register int r asm("r12") = x;
  asm volatile("" : "+r"(r));
  return a + b + r;
}

double varargs(int n, ...) {
  va_list ap, copy;
  double sum = 0;
  va_start(ap, n);
  va_copy(copy, ap);
  for (int i = 0; i < n; i++) sum += va_arg(ap, double) + (double)va_arg(copy, int);
  struct { long a[4]; } s = va_arg(ap, __typeof__(s));
  long double l = va_arg(ap, long double);
  va_end(ap);
  va_end(copy);
  return sum + s.a[1] + (double)l;
}

int nonlocal(int x) {
  volatile int v = x;
  if (setjmp(env)) return v;
  if (x) longjmp(env, 1);
  return 0;
}

int vla(int n, int k) {
  int total = 0;
  for (int i = 1; i < n; i++) {
    int a[i][k];
    a[0][0] = i;
    total += a[i - 1][k - 1] + sizeof a;
  }
  char *more = __builtin_alloca(n);
  more[0] = 1;
  return total + more[0];
}

__attribute__((noinline)) static int callee(int a, int b) { return a + b; }
int tail(int a, int b) { __attribute__((musttail)) return callee(b, a); }
int (*indirect)(int, ...) = (int (*)(int, ...))callee;
int through_pointer(int x) { return indirect(x, 2, "three", 4.0) + ((int (*)(void))0x1234)(); }
_Noreturn void die(void) { __builtin_trap(); }
int assume(int x) { if (x < 0) __builtin_unreachable(); __builtin_assume(x != 3); return __builtin_expect(x, 5); }
int long_expression(int a, int b, int c) { return a ? b ? c : a : (b && c) || (a | b); }
__int128 wide(__int128 a, unsigned __int128 b) { return a / 3 + (__int128)(b >> 7); }
