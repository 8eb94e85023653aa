// Types, globals and memory accesses.
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct packed { char c; int i; double d; } __attribute__((packed));
struct bits { unsigned a : 3; int b : 9; unsigned long c : 40; };
union either { int i; double d; char bytes[13]; };
struct flexible { int n; struct packed p[]; };
struct big { long a[8]; };
struct pair { float x, y; };
typedef float v4f __attribute__((vector_size(16)));
typedef int v4i __attribute__((vector_size(16)));
typedef _Bool v8b __attribute__((ext_vector_type(8)));
typedef float v3f __attribute__((ext_vector_type(3)));

int zeroed[100], initialised = 42;
const char escapes[] = "quote\" back\\slash \n\t\x01\xff @not_a_symbol %not_a_local ; no comment";
static const char *strings[] = {"a", "", "b\0c", NULL};
static struct packed packed_one = {'x', -1, 1e300};
struct flexible flex = {2, {{1, 2, 3}, {4, 5, 6}}};
union either u1 = {.d = 0.1};
struct bits bit = {1, -2, 3};
int *inner = &zeroed[17];
char *past = (char *)&flex + sizeof flex;
static ptrdiff_t addresses[] = {(ptrdiff_t)&zeroed[3], (ptrdiff_t)"x"};
__thread int tls_default = 1;
static __thread int tls_local __attribute__((tls_model("local-exec")));
extern __thread int tls_ie __attribute__((tls_model("initial-exec")));
__attribute__((weak)) int weak_definition = 1;
extern int weak_reference __attribute__((weak));
__attribute__((section("my section,odd"), used, aligned(64))) int in_section = 3;
__attribute__((visibility("hidden"))) int hidden_one = 1;
int odd_name asm("name with spaces and \"quotes\"") = 5;
int dollar$name = 6;
_Complex double cplx = 1.0 + 2.0i;
long double extended = 3.14159265358979323846L;
__float128 quad = 1.5q;
_Float16 half_one = 0.1f16;
v4f vector_one = {1, 2, 3, 4};
void *nothing;
int common_one __attribute__((common));

static int real(int x) { return x + odd_name + dollar$name; }
int aliased(int) __attribute__((alias("real")));
int weak_alias(int) __attribute__((weak, alias("real")));
extern int alias_of_data __attribute__((alias("initialised")));
static int (*resolver(void))(int) { return real; }
int resolved(int) __attribute__((ifunc("resolver")));
int odd_function(int) asm("odd function");
int call_odd(int x) { return odd_function(x) + resolved(x) + aliased(x) + weak_alias(alias_of_data); }
__attribute__((constructor(200))) static void before(void) { zeroed[1] = 1; }
__attribute__((destructor)) static void after(void) { zeroed[1] = 0; }
__attribute__((nonnull, returns_nonnull, malloc, alloc_size(2))) void *attributes(void *p, size_t n);
__attribute__((target("avx2"), cold, flatten)) int special(void) { return 1; }

int bitfields(struct bits *b) { b->a = 5; b->b += 3; return b->a + b->b + (int)b->c; }
struct big by_value(struct big b, struct pair p, struct packed q) { b.a[3] = (long)(p.x + p.y) + q.i; return b; }
struct big caller(struct big *b) { return by_value(*b, (struct pair){1, 2}, packed_one); }
int *access(struct flexible *f, int i) { f->p[i].d = 1; return &f->p[i + 1].i; }
int volatiles(volatile int *p) { *p = 1; return *p + *p; }
int segment(int __attribute__((address_space(256))) *gs) { return gs[3]; }
int locals(int n) {
  int a[10] = {1, 2, 3}, b[50] = {0};
  struct packed s = packed_one;
  memset(b, n, sizeof b);
  memmove(a, b + 1, sizeof a);
  return a[n] + b[n] + s.i + tls_default + tls_local + tls_ie + (&weak_reference ? weak_reference : 0);
}

int atomics(_Atomic int *p, atomic_uchar *c, _Atomic(void *) *q, _Atomic long double *l, _Atomic struct pair *s) {
  int expected = 1;
  struct pair pair = {1, 2};
  atomic_store(p, 1);
  atomic_store_explicit(c, 2, memory_order_release);
  *q = (void *)p;
  atomic_fetch_add(p, 2);
  atomic_fetch_xor_explicit(c, 3, memory_order_relaxed);
  atomic_exchange(p, 7);
  atomic_compare_exchange_weak_explicit(p, &expected, 3, memory_order_acq_rel, memory_order_acquire);
  atomic_compare_exchange_strong(p, &expected, 4);
  __atomic_fetch_nand((int *)p, 3, __ATOMIC_SEQ_CST);
  __atomic_fetch_min((int *)p, 3, __ATOMIC_RELAXED);
  atomic_thread_fence(memory_order_seq_cst);
  atomic_signal_fence(memory_order_acquire);
  *l = 1.0L;
  atomic_store(s, pair);
  return atomic_load_explicit(p, memory_order_acquire) + __sync_fetch_and_add((int *)p, 1);
}

v4f vectors(v4f a, v4i i, v3f c, float f) {
  v4f b = a * f + __builtin_shufflevector(a, a, 3, 2, 1, 0);
  b[i[0] & 3] = f;
  v4i less = a < b;
  b += __builtin_convertvector(less & 1, v4f);
  b[0] += c.y + c.zx[1];
  return less[2] ? b : -a;
}
v8b masks(v8b a, v8b b) { return a & ~b; }
#if __clang_major__ > 16  // before that a __bf16 could only be copied
float half(_Float16 a, __bf16 *b) { return (float)a + (float)*b; }
#else
float half(_Float16 a, __bf16 *b) { b[1] = *b; return (float)a; }
#endif
double complex_numbers(_Complex double a, _Complex float b) { return __real__(a * b / a) + __imag__ b; }
long double longs(long double a, __float128 b) { return a * (long double)b; }
unsigned long conversions(float f, double d, int i, void *p) {
  return (unsigned long)f + (unsigned)(int)d + (unsigned long)(long)p + (unsigned long)(double)i + (char)i;
}
int builtins(unsigned x, unsigned long y, void **p) {
  int r;
  if (__builtin_add_overflow(x, y, &r)) return -1;
  __builtin_prefetch(p, 1, 3);
  *p = __builtin_return_address(0);
  p[1] = __builtin_frame_address(0);
  return r + __builtin_popcount(x) + __builtin_clzl(y | 1) + (int)__builtin_object_size(p, 0) + __builtin_bswap32(x);
}
_Bool booleans(_Bool a, _Bool *b) { *b = !a; return a || *b; }
_BitInt(37) odd_integers(_BitInt(37) a, _BitInt(200) *b) { *b += a; return a * 3; }
