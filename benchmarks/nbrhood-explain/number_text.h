// Numbers for people.
#ifndef NBRHOOD_EXPLAIN_NUMBER_TEXT_H
#define NBRHOOD_EXPLAIN_NUMBER_TEXT_H

#include <string>

namespace nbrhood_explain {

/// A number in one conversion of printf for a double.
std::string number_text(double value, const char *format);

/// Bytes with two or three digits: "812", "1.2K", "34M".
std::string bytes_text(double bytes);

} // namespace nbrhood_explain

#endif
