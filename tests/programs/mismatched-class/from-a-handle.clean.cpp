// A handle leads to an object of another class.
// RUN: options --enable mismatched-class
struct Reader {
    virtual ~Reader() = default;
    virtual int read() { return 1; }
};
struct Writer {
    virtual ~Writer() = default;
    virtual int write() { return 2; }
};

static int use(void *handle) {
    return static_cast<Reader *>(handle)->read();
}

int main() {
    Reader reader;
    Writer writer;
    void *handles[] = {&reader, &writer};
    return use(handles[0]) + use(handles[0]) == 77 || writer.write() == 77;
}
