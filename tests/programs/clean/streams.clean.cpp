// iostream, stringstream, locale-dependent output, getline and manipulators.
// RUN: stdin "3 apples\n4 pears and more\n"
// RUN: stdout "7 [    apples] 0x1f 3.14\n"
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

int main() {
    int a = 0, b = 0;
    std::string first, rest;
    std::cin >> a >> first >> b;
    std::getline(std::cin, rest);
    std::ostringstream out;
    out << a + b << " [" << std::setw(10) << first << "] " << std::hex << std::showbase << 31 << ' ' << std::setprecision(3)
        << 3.14159;
    std::cout << out.str() << std::endl;
    std::istringstream in("1 2 3 x");
    int sum = 0;
    for (int i; in >> i;)
        sum += i;
    return sum != 6 || rest != " pears and more";
}
