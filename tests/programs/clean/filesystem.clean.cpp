// std::filesystem and file streams: directories made, walked, renamed and removed; errors as codes and exceptions.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

int main() {
    fs::path root = fs::temp_directory_path() / ("whence-" + std::to_string(getpid()));
    int bad = !fs::create_directories(root / "a" / "directory with a long name" / "c");
    for (int i = 0; i < 5; i++) {
        std::ofstream out(root / "a" / (std::to_string(i) + ".txt"));
        for (int line = 0; line < 2000; line++)
            out << "line " << line << " of file " << i << '\n';
    }
    std::vector<std::string> names;
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(root))
        names.push_back(entry.path().lexically_relative(root).generic_string());
    std::sort(names.begin(), names.end());
    bad += names.size() != 8 || names[1] != "a/0.txt";
    std::ifstream in(root / "a" / "3.txt");
    std::string line, last;
    while (std::getline(in, line))
        last = line;
    bad += last != "line 1999 of file 3" || fs::file_size(root / "a" / "3.txt") < 30000;
    std::fstream both(root / "a" / "4.txt", std::ios::in | std::ios::out);
    both.seekp(5) << "XYZ";
    both.seekg(0);
    std::stringstream all;
    all << both.rdbuf();
    bad += all.str().compare(5, 3, "XYZ") != 0;
    fs::copy_file(root / "a" / "1.txt", root / "copy");
    fs::rename(root / "copy", root / "renamed");
    fs::create_symlink("renamed", root / "link");
    bad += fs::read_symlink(root / "link") != "renamed" || !fs::equivalent(root / "link", root / "renamed");
    std::error_code code;
    bad += fs::file_size(root / "missing", code) != static_cast<std::uintmax_t>(-1) || !code;
    try {
        fs::copy(root / "missing", root / "nowhere");
        bad++;
    } catch (const fs::filesystem_error &e) {
        bad += std::string(e.what()).empty();
    }
    bad += fs::canonical(root / "a" / ".." / "renamed").filename() != "renamed";
    fs::current_path(root);
    bad += fs::current_path().filename() != root.filename() || fs::absolute("x").parent_path() != fs::current_path();
    fs::current_path("/");
    return bad + (fs::remove_all(root) < 9);
}
