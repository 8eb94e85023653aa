// C++: exceptions, virtual tables, templates, thread-locals, lambdas, coroutine-free.
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

void may_throw(int);
int plain(int) noexcept;

struct Base {
  virtual ~Base();
  virtual int f(int) = 0;
  int b = 1;
};
Base::~Base() {}
struct Left : virtual Base { int f(int x) override { return x + b; } long l = 2; };
struct Right : virtual Base { int f(int x) override { return x - b; } };
struct Both final : Left, Right { int f(int x) override { return Left::f(x) + Right::f(x); } };

struct Guard {
  explicit Guard(int n) : n(n) {}
  ~Guard() { plain(n); }
  int n;
};

namespace {
struct Hidden { std::string s = "hidden"; };
thread_local Hidden hidden;
}
thread_local std::vector<int> *tls_vector = new std::vector<int>(3);
extern thread_local int external_tls;
std::map<std::string, std::vector<int>> table{{"one", {1}}, {"two", {2, 2}}};
inline int inline_variable = plain(3);
template <class T> struct Counter { static T count; };
template <class T> T Counter<T>::count = T();
template struct Counter<long>;

int catches(int x) {
  Guard outer(x);
  try {
    Guard inner(x + 1);
    may_throw(x);
    throw std::runtime_error("oops");
  } catch (const std::runtime_error &e) {
    return e.what()[0];
  } catch (int i) {
    Guard again(i);
    throw;
  } catch (...) {
    return plain(x);
  }
}

void cleanup_only(int x) { Guard g(x); may_throw(x); }
int terminate_handler(int x) noexcept { may_throw(x); return x; }
#if __cplusplus < 201703L
void filtered(int x) throw(int, std::bad_alloc) { may_throw(x); }
#endif

int statics(int x) {
  static std::string name("static local");
  static thread_local std::unique_ptr<int> slot = std::make_unique<int>(x);
  return (int)name.size() + *slot + (int)hidden.s.size() + (int)(*tls_vector)[0] + external_tls;
}

int (Base::*method)(int) = &Base::f;
int Base::*field = &Base::b;
int members(Both *o) { return (o->*method)(3) + o->*field + (dynamic_cast<Left *>((Base *)o) != nullptr); }
const std::type_info &types(Base *b) { return typeid(*b); }

template <class F> auto twice(F f) { return [=](auto x) { return f(f(x)); }; }
int lambdas(int a) { return twice([&a](int x) { return x + a; })(5); }

struct Aligned { alignas(64) char data[100]; };
Aligned *allocate(std::size_t n) { return new Aligned[n]; }
void release(Aligned *a, Base *b) { delete[] a; delete b; }
Both make() { return Both(); }
std::string concatenate(const std::string &a, std::string b) { return a + ", " + std::move(b); }

struct Array { Guard g[3] = {Guard(1), Guard(2), Guard(3)}; };
int arrays() { Array a; may_throw(a.g[0].n); return a.g[2].n; }
extern "C" int with_alias(int x) { return x; }
extern "C" int the_alias(int) __attribute__((alias("with_alias")));
