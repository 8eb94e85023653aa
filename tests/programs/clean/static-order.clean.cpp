// Static objects, atexit handlers and __cxa_atexit in their order, a local static, an init priority; all of
// them use heap memory until the very end.
// RUN: stdout "early static local main handler2 ~local handler1 ~static ~early\n"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" int __cxa_atexit(void (*)(void *), void *, void *);

static void say(const std::string &word) { std::fputs(word.c_str(), stdout); }

struct Speaks {
    explicit Speaks(const char *name) : name_(new char[std::strlen(name) + 1]) {
        std::strcpy(name_, name);
        say(name_ + std::string(" "));
    }
    ~Speaks() {
        std::string word = std::string("~") + name_;
        say(word + (word == "~early" ? "\n" : " "));
        delete[] name_;
    }
    char *name_;
};

static Speaks normal("static");
__attribute__((init_priority(200))) static Speaks early("early");
static std::string *text = new std::string("handler1 that is long enough to be on the heap");

static void handler1() {
    say(text->substr(0, 8) + " ");
    delete text;
}

static void handler2(void *argument) {
    say(*static_cast<std::string *>(argument) + " ");
    delete static_cast<std::string *>(argument);
}

static Speaks &local() {
    static Speaks one("local");
    return one;
}

int main() {
    std::atexit(handler1);
    local();
    __cxa_atexit(handler2, new std::string("handler2"), nullptr);
    say("main ");
    std::exit(std::strlen(local().name_) != 5);
}
