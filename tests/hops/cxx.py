"""Ways of values in C++ (`tests.hops.making`). Marks tell only the hops in the program's own file."""

from __future__ import annotations

from tests.hops import bit_fields
from tests.hops.making import End, Way
from tests.hops.ways import TYPES

_POINTER, _NUMBERS = ("pointer",), ("number", "small")

HEAD = """
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>
#include <sys/wait.h>
#include <unistd.h>
#define NOT_INLINED static __attribute__((noinline))
#define APART(call) do { if (fork()) wait(nullptr); else { call; _exit(0); } } while (0)
static volatile int one = 1, sink;
""" + "".join(f"typedef {written} {name};\n" for name, written in TYPES.items())

BIRTHS = {
    "new": Way("T v# = new int(1); //: 1 allocation operator new; 2 stored v#", types=_POINTER),
    "number": Way("T v# = V; //: 1 constant V; 2 stored v#", types=_NUMBERS),
}
NULLS = {"nullptr": Way("T v# = nullptr; //: 1 constant NULL; 2 stored v#", types=_POINTER)}

ENDS = {
    "deleted twice": End(
        """
        delete $; //: 2 argument operator delete
        delete $; //: 1 argument operator delete
        """,
        _POINTER,
        "double-free",
        ("r", "r1"),
    ),
    "index": End(
        """
        int *table# = new int[V];
        table#[$] = 1;
        delete[] table#;
        """,
        _NUMBERS,
        "heap-buffer-overflow",
        ("the index of r",),
    ),
}
NULL_END = End("sink = *$;", _POINTER, "null-pointer-dereference", ("r",), apart=True)
CLEAN = {
    "deleted once": End("*$ = 1; delete $;", _POINTER),
    "index inside": End("int *table# = new int[V + 1]; table#[$] = 1; delete[] table#;", _NUMBERS),
}

WAYS = {
    "reference": Way("T &a# = $; T v# = a#; //: 1 stored v#"),
    "reference parameter": Way(
        "T v#; put#($, v#); //: 1 argument put#",
        "NOT_INLINED void put#(T x, T &to) { to = x; } //: 2 stored to",
    ),
    "constructor": Way(
        """
        holder# h#($); //: 1 argument holder#
        T v# = h#.get(); //: 4 stored v#
        """,
        """
        struct holder# {
            T it;
            holder#(T x) : it(x) {} //: 2 stored this->it
            T get() const { return it; } //: 3 return get
        };
        """,
    ),
    "virtual call": Way(
        """
        derived# d#; base# *b# = &d#;
        T v# = b#->same($); //: 1 argument same; 3 stored v#
        """,
        """
        struct base# { virtual T same(T x) { return 0; } };
        struct derived# : base# {
            T same(T x) override { return x; } //: 2 return same
        };
        """,
    ),
    "template": Way(
        "T v# = same#<T>($); //: 1 argument same#; 3 stored v#",
        "template <class A> NOT_INLINED A same#(A x) { return x; } //: 2 return same#",
    ),
    "lambda": Way(
        """
        auto f# = [](T x) { return x; }; //: 2 return operator()
        T v# = f#($); //: 1 argument operator(); 3 stored v#
        """,
    ),
    "lambda by value": Way(
        """
        auto f# = [=] { return $; }; //: 1 stored f#.$; 2 return operator()
        T v# = f#(); //: 3 stored v#
        """,
    ),
    "lambda by reference": Way(
        """
        T a#; auto f# = [&](T *x) { a# = *x; }; //: 1 stored a#
        f#(&$);
        T v# = a#; //: 2 stored v#
        """,
    ),
    "operator": Way(
        """
        table# t#; t#[2] = $; //: 1 stored *operator[]()
        T v# = t#[2]; //: 2 stored v#
        """,
        """
        struct table# {
            T all[3];
            T &operator[](int i) { return all[i]; }
        };
        """,
    ),
    "copy constructor": Way(
        """
        row# b#; b#.all[3] = $; //: 1 stored b#.all[3]
        row# c#(b#); //: 2 copy c#
        T v# = c#.all[3]; //: 3 stored v#
        """,
        "struct row# { T all[5]; };",
    ),
    "thrown number": Way(
        """
        T v# = 0;
        try {
            throw $; //: 1 stored
        } catch (T e#) { //: 2 stored e#
            v# = e#; //: 3 stored v#
        }
        """,
        types=_NUMBERS,
    ),
    "thrown pointer": Way(
        """
        T v# = 0;
        try {
            throw $;
        } catch (T e#) { //: 1 outside __cxa_begin_catch; 2 stored e#
            v# = e#; //: 3 stored v#
        }
        """,
        types=_POINTER,
        limit="code that carries no IR",
    ),
    "inherited member": Way(
        """
        derived# d#; d#.it = $; //: 1 stored d#.it
        T v# = d#.get(); //: 3 stored v#
        """,
        """
        struct base# { long pad; T it; T get() { return it; } }; //: 2 return get
        struct derived# : base# { int more; };
        """,
    ),
    "initializer list": Way(
        """
        T v# = 0;
        for (T x : {(T)0, $}) //: 1 stored; 2 stored x
            if (x) v# = x; //: 3 stored v#
        """
    ),
    **bit_fields.IN_CXX,
}

LIBRARY = {
    "vector": Way(
        """
        std::vector<T> c#; c#.push_back($);
        T v# = c#[0]; //: 1 stored v#
        """
    ),
    "vector that grows": Way(
        """
        std::vector<T> c#; c#.push_back($);
        for (int i = 0; i < 9; i++) c#.push_back(0);
        T v# = c#.front(); //: 1 stored v#
        """
    ),
    "element of a vector": Way(
        """
        std::vector<T> c#(3); c#[1] = $; //: 1 stored *operator[]()
        T v# = c#.at(1); //: 2 stored v#
        """
    ),
    "copy of a vector": Way(
        """
        std::vector<T> c#{$}; //: 1 stored
        auto d# = c#;
        T v# = *d#.begin(); //: 2 stored v#
        """
    ),
    "map": Way(
        """
        std::map<int, T> c#; c#[3] = $; //: 1 stored *operator[]()
        T v# = c#[3]; //: 2 stored v#
        """
    ),
    "map by find": Way(
        """
        std::map<int, T> c#; c#.emplace(3, $);
        T v# = c#.find(3)->second; //: 1 stored v#
        """
    ),
    "unordered map": Way(
        """
        std::unordered_map<int, T> c#; c#[3] = $; //: 1 stored *operator[]()
        T v# = c#.at(3); //: 2 stored v#
        """
    ),
    "list": Way(
        """
        std::list<T> c#; c#.push_front($);
        T v# = c#.back(); //: 1 stored v#
        """
    ),
    "deque": Way(
        """
        std::deque<T> c#; c#.push_back($);
        T v# = c#[0]; //: 1 stored v#
        """
    ),
    "array": Way(
        """
        std::array<T, 3> c#; c#[1] = $; //: 1 stored *operator[]()
        T v# = c#[1]; //: 2 stored v#
        """
    ),
    "pair": Way(
        """
        std::pair<int, T> c#(1, $);
        T v# = c#.second; //: 1 stored v#
        """
    ),
    "tuple": Way(
        """
        std::tuple<int, T, int> c#(1, $, 2);
        T v# = std::get<1>(c#); //: 1 stored v#
        """
    ),
    "structured binding": Way(
        """
        std::tuple<int, T> c#(1, $);
        auto [a#, b#] = c#; //: 1 copy
        T v# = b#; //: 2 stored v#
        """
    ),
    "optional": Way(
        """
        std::optional<T> c# = $;
        T v# = *c#; //: 1 stored v#
        """
    ),
    "variant": Way(
        """
        std::variant<char, T> c# = $;
        T v# = std::get<T>(c#); //: 1 stored v#
        """
    ),
    "shared pointer": Way(
        """
        std::shared_ptr<T> c# = std::make_shared<T>($), d# = c#;
        T v# = *d#; //: 1 stored v#
        """
    ),
    "shared pointer to it": Way(
        """
        std::shared_ptr<int> c#($, [](int *) {}); //: 1 argument shared_ptr
        std::shared_ptr<int> d# = c#;
        T v# = d#.get(); //: 2 stored v#
        """,
        types=_POINTER,
    ),
    "weak pointer": Way(
        """
        auto c# = std::make_shared<T>(); *c# = $; //: 1 stored *operator*()
        std::weak_ptr<T> d# = c#;
        T v# = *d#.lock(); //: 2 stored v#
        """
    ),
    "function with a value": Way(
        """
        std::function<T()> c# = [=] { return $; }; //: 1 stored; 2 return operator()
        T v# = c#(); //: 3 stored v#
        """
    ),
    "function in a container": Way(
        """
        std::vector<std::function<T()>> c#; c#.push_back([=] { return $; }); //: 1 stored; 2 return operator()
        T v# = c#[0](); //: 3 stored v#
        """
    ),
    "lambda in a variable": Way(
        """
        auto c# = [a# = $] { return a#; }; //: 1 stored c#.a#; 3 return operator()
        auto d# = c#; //: 2 copy d#
        T v# = d#(); //: 4 stored v#
        """
    ),
    "vector of vectors": Way(
        """
        std::vector<std::vector<T>> c#(2); c#[1].push_back($);
        auto d# = c#; c#.clear();
        T v# = d#[1][0]; //: 1 stored v#
        """
    ),
    "moved": Way(
        """
        std::vector<T> c#{$}; //: 1 stored
        std::map<int, std::vector<T>> d#; d#[1] = std::move(c#);
        T v# = d#[1].front(); //: 2 stored v#
        """
    ),
    "unique pointer": Way(
        """
        std::unique_ptr<int> c#($); //: 1 argument unique_ptr
        T v# = c#.release(); //: 2 stored v#
        """,
        types=_POINTER,
    ),
    "function": Way(
        """
        std::function<T(T)> c# = [](T x) { return x; }; //: 2 return operator()
        T v# = c#($); //: 1 argument operator(); 3 stored v#
        """,
    ),
    "swap": Way(
        """
        T a# = $, b# = 0; //: 1 stored a#
        std::swap(a#, b#);
        T v# = b#; //: 2 stored v#
        """
    ),
    "copied range": Way(
        """
        T a#[3] = {0, $, 0}, b#[3]; //: 1 stored a#[1]
        std::copy(a#, a# + 3, b#);
        T v# = b#[1]; //: 2 stored v#
        """
    ),
    "thread": Way(
        """
        T a# = $, b#; //: 1 stored a#
        std::thread h#([&] { b# = a#; }); //: 2 loaded a#; 3 stored b#
        h#.join();
        T v# = b#; //: 4 loaded b#; 5 stored v#
        """,
    ),
}
