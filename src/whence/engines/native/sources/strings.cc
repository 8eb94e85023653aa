// The members of std::string that headers leave to the library.
#include <string>

template class std::basic_string<char>;
