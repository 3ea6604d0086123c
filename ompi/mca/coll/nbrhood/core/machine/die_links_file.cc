// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "machine/die_links_file.h"

#include <algorithm>
#include <charconv>
#include <istream>
#include <locale>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "files/file_io.h"

namespace nbrhood {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kPackages = "packages:";
constexpr std::string_view kDies = "GCD:";
constexpr std::string_view kPci = "PCI bus";
constexpr std::string_view kNuma = "NUMA";
constexpr int kMostLinks = 1000;  // between two dies
constexpr int kMostNumas = 10000; // NUMA nodes of a node
constexpr std::uint32_t kMostOfDomain = 0xffffffff;

[[noreturn]] void refuse(const std::string &reason)
{
    throw std::invalid_argument(reason);
}

// A text for messages: shortened, and without characters that control a terminal.
std::string quoted(std::string_view text)
{
    constexpr std::size_t kMost = 32;
    std::string shown(text.substr(0, kMost));
    for (char &c : shown) {
        c = c >= ' ' && c <= '~' ? c : '?';
    }
    return "'" + shown + (text.size() > kMost ? "...'" : "'");
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(kBlanks);
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool begins_with(std::string_view text, std::string_view beginning)
{
    return text.substr(0, beginning.size()) == beginning;
}

std::vector<std::string_view> words_of(std::string_view text)
{
    std::vector<std::string_view> words;
    for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
        words.push_back(text.substr(at, end - at));
        at = text.find_first_not_of(kBlanks, end);
    }
    return words;
}

std::optional<std::uint32_t> number_in(std::string_view text, int base, std::uint32_t most)
{
    std::uint32_t value = 0;
    const char *const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value, base);
    if (error != std::errc() || rest != end || value > most) {
        return std::nullopt;
    }
    return value;
}

int read_number(std::string_view text, const char *what, int most)
{
    const auto value = number_in(text, 10, static_cast<std::uint32_t>(most));
    if (!value) {
        refuse(quoted(text) + " is not " + what + " from 0 to " + std::to_string(most));
    }
    return static_cast<int>(*value);
}

// "c1", a bus, or "0000:c1:00.0".
PciAddress read_address(std::string_view text)
{
    const std::size_t first = text.find(':');
    const std::size_t second = first == std::string_view::npos ? first : text.find(':', first + 1);
    const std::size_t dot = second == std::string_view::npos ? second : text.find('.', second + 1);
    std::optional<std::uint32_t> domain = 0U;
    std::optional<std::uint32_t> bus = number_in(text, 16, 0xff);
    std::optional<std::uint32_t> device = 0U;
    std::optional<std::uint32_t> function = 0U;
    if (dot != std::string_view::npos) {
        domain = number_in(text.substr(0, first), 16, kMostOfDomain);
        bus = number_in(text.substr(first + 1, second - first - 1), 16, 0xff);
        device = number_in(text.substr(second + 1, dot - second - 1), 16, 0x1f);
        function = number_in(text.substr(dot + 1), 16, 7);
    }
    if (!domain || !bus || !device || !function) {
        refuse(quoted(text) + " is neither a PCI bus (c1) nor a PCI address (0000:c1:00.0)");
    }
    return PciAddress{*domain, *bus, *device, *function};
}

// Dies of consecutive numbers in one package.
struct Range {
    int first;
    int last;
    int package;
};

Range read_range(std::string_view text, int package)
{
    const std::size_t dash = text.find('-');
    const int first = read_number(text.substr(0, dash), "a die", kMostDies - 1);
    const int last = dash == std::string_view::npos
                         ? first
                         : read_number(text.substr(dash + 1), "a die", kMostDies - 1);
    if (last < first) {
        refuse(quoted(text) + " is no range of dies");
    }
    return Range{first, last, package};
}

// The comment that says which dies are in one package.
std::string packages_text(const DieLinks &links)
{
    std::vector<std::string> packages;
    for (int die = 0; die < links.dies(); ++die) {
        const auto package = static_cast<std::size_t>(links.package_of(die));
        packages.resize(std::max(packages.size(), package + 1));
        packages[package] += (packages[package].empty() ? "" : "+") + std::to_string(die);
    }
    std::string text = "# packages:";
    for (const std::string &package : packages) {
        text += " " + package;
    }
    return text + "\n";
}

// Reads the file line by line. Its exceptions do not name the file and the line.
class Reader {
public:
    void take(std::string_view line)
    {
        const std::size_t comment = line.find('#');
        const std::string_view row = trimmed(line.substr(0, comment));
        if (!row.empty()) {
            take_row(words_of(row));
        } else if (comment != std::string_view::npos) {
            take_comment(trimmed(line.substr(comment + 1)));
        }
    }

    // Number of the line to blame: an earlier line that later lines contradict, or the last one.
    int faulty_line(int last) const { return faulty_line_ != 0 ? faulty_line_ : last; }
    void at_line(int line) { line_ = line; }

    DieTable finish()
    {
        if (links_.empty()) {
            refuse("there are no rows of links");
        }
        if (links_.size() < links_.front().size()) {
            refuse("the table ends after " + std::to_string(links_.size()) + " of "
                   + std::to_string(links_.front().size()) + " rows");
        }
        DieTable table;
        faulty_line_ = packages_line_;
        const std::vector<int> packages =
            packages_line_ == 0 ? packages_by_links(links_) : packages_of_dies();
        faulty_line_ = places_line_;
        check_count(pci_.size(), "PCI buses");
        check_count(numa_.size(), "NUMA nodes");
        check_count(numbered_, "dies");
        faulty_line_ = 0;
        table.links = DieLinks(links_, packages);
        table.pci = pci_;
        table.numa = numa_;
        return table;
    }

private:
    void take_row(const std::vector<std::string_view> &words)
    {
        const std::size_t row = links_.size();
        const std::size_t dies = row == 0 ? words.size() : links_.front().size();
        if (dies > kMostDies) {
            refuse("links to " + std::to_string(dies) + " dies; there may be "
                   + std::to_string(kMostDies));
        }
        if (row == dies) {
            refuse("there are more rows than the " + std::to_string(dies)
                   + " dies to which the first has links");
        }
        if (words.size() != dies) {
            refuse("die " + std::to_string(row) + " has links to " + std::to_string(words.size())
                   + " dies, die 0 to " + std::to_string(dies));
        }
        std::vector<int> links;
        links.reserve(words.size());
        for (const std::string_view word : words) {
            links.push_back(read_number(word, "a number of links", kMostLinks));
        }
        if (links[row] != 0) {
            refuse("die " + std::to_string(row) + " is linked to itself");
        }
        for (std::size_t other = 0; other < row; ++other) {
            if (links[other] != links_[other][row]) {
                refuse("die " + std::to_string(row) + " has " + std::to_string(links[other])
                       + " links to die " + std::to_string(other) + ", which has "
                       + std::to_string(links_[other][row]) + " to it");
            }
        }
        links_.push_back(std::move(links));
    }

    void take_comment(std::string_view text)
    {
        const std::size_t packages = text.find(kPackages);
        if (packages != std::string_view::npos) {
            take_packages(text.substr(packages + kPackages.size()));
        }
        if (begins_with(text, kDies)) {
            take_places(text);
        }
    }

    // Takes words up to the first that does not begin with a digit. Without any, "packages" was
    // just a word of a comment.
    void take_packages(std::string_view text)
    {
        constexpr std::string_view kDigits = "0123456789";
        for (const std::string_view word : words_of(text)) {
            if (kDigits.find(word.front()) == std::string_view::npos) {
                break;
            }
            if (packages_line_ != 0 && packages_line_ != line_) {
                refuse("packages are given twice");
            }
            packages_line_ = line_;
            const std::string_view package = word.substr(0, word.find_first_of("),;."));
            for (std::size_t at = 0; at <= package.size();) {
                const std::size_t end = std::min(package.find('+', at), package.size());
                ranges_.push_back(read_range(package.substr(at, end - at), packages_));
                at = end + 1;
            }
            ++packages_;
            const std::string_view rest = word.substr(package.size());
            if (!rest.empty() && rest != ",") {
                break;
            }
        }
    }

    void take_places(std::string_view text)
    {
        if (places_line_ != 0) {
            refuse("the places of dies are given twice");
        }
        places_line_ = line_;
        for (std::size_t at = 0; at <= text.size();) {
            const std::size_t end = std::min(text.find(';', at), text.size());
            const std::string_view part = trimmed(text.substr(at, end - at));
            at = end + 1;
            if (begins_with(part, kDies)) {
                take_numbers(words_of(part.substr(kDies.size())));
            } else if (begins_with(part, kPci)) {
                take_addresses(words_of(part.substr(kPci.size())));
            } else if (begins_with(part, kNuma)) {
                take_numas(words_of(part.substr(kNuma.size())));
            } else {
                refuse(quoted(part) + " is none of \"GCD:\", \"PCI bus\" and \"NUMA\"");
            }
        }
    }

    void take_numbers(const std::vector<std::string_view> &words)
    {
        if (numbered_ != 0) {
            refuse("the numbers of dies are given twice");
        }
        for (const std::string_view word : words) {
            if (read_number(word, "a die", kMostDies - 1) != static_cast<int>(numbered_)) {
                refuse("dies are numbered from 0 on: " + quoted(word) + " is not "
                       + std::to_string(numbered_));
            }
            ++numbered_;
        }
    }

    void take_addresses(const std::vector<std::string_view> &words)
    {
        if (!pci_.empty()) {
            refuse("PCI buses are given twice");
        }
        for (const std::string_view word : words) {
            const PciAddress address = read_address(word);
            if (std::find(pci_.begin(), pci_.end(), address) != pci_.end()) {
                refuse("two dies have the PCI address " + address.text());
            }
            pci_.push_back(address);
        }
    }

    void take_numas(const std::vector<std::string_view> &words)
    {
        if (!numa_.empty()) {
            refuse("NUMA nodes are given twice");
        }
        for (const std::string_view word : words) {
            numa_.push_back(read_number(word, "a NUMA node", kMostNumas));
        }
    }

    std::vector<int> packages_of_dies() const
    {
        std::vector<int> packages(links_.size(), -1);
        for (const Range &range : ranges_) {
            for (int die = range.first; die <= range.last; ++die) {
                const auto at = static_cast<std::size_t>(die);
                if (at >= packages.size()) {
                    refuse("there is no die " + std::to_string(die) + " for a package");
                }
                if (packages[at] >= 0) {
                    refuse("die " + std::to_string(die) + " is in two packages");
                }
                packages[at] = range.package;
            }
        }
        const auto none = std::find(packages.begin(), packages.end(), -1);
        if (none != packages.end()) {
            refuse("die " + std::to_string(none - packages.begin()) + " is in no package");
        }
        return in_order(packages);
    }

    void check_count(std::size_t count, const char *what) const
    {
        if (count != 0 && count != links_.size()) {
            refuse("there are " + std::to_string(count) + " " + what + " for "
                   + std::to_string(links_.size()) + " rows of links");
        }
    }

    std::vector<std::vector<int>> links_;
    std::vector<Range> ranges_;
    int packages_ = 0;
    std::vector<PciAddress> pci_;
    std::vector<int> numa_;
    std::size_t numbered_ = 0;
    int line_ = 0;
    // Numbers of lines; 0: there is no such line.
    int packages_line_ = 0;
    int places_line_ = 0;
    int faulty_line_ = 0;
};

} // namespace

DieTable read_die_table(std::istream &in, const std::string &file)
{
    Reader reader;
    std::string line;
    int number = 0;
    try {
        while (std::getline(in, line)) {
            reader.at_line(++number);
            reader.take(line);
        }
        number = 0;
        return reader.finish();
    } catch (const std::invalid_argument &error) {
        const int faulty = reader.faulty_line(number);
        throw std::invalid_argument(file + (faulty != 0 ? ":" + std::to_string(faulty) : "") + ": "
                                    + error.what());
    }
}

DieTable read_die_table_file(const std::string &file)
{
    std::istringstream in(read_file(file, kMostDieTableBytes));
    return read_die_table(in, file);
}

std::string write_die_table(const DieTable &table)
{
    const int dies = table.links.dies();
    std::ostringstream places;
    std::ostringstream rows;
    places.imbue(std::locale::classic());
    rows.imbue(std::locale::classic());
    places << "# GCD:";
    for (int die = 0; die < dies; ++die) {
        places << ' ' << die;
        for (int other = 0; other < dies; ++other) {
            rows << (other == 0 ? "" : "\t") << table.links.links(die, other);
        }
        rows << '\n';
    }
    const char *separator = " ; PCI bus ";
    for (const PciAddress &address : table.pci) {
        places << separator << address.text();
        separator = " ";
    }
    separator = " ; NUMA ";
    for (const int numa : table.numa) {
        places << separator << numa;
        separator = " ";
    }
    return places.str() + '\n' + packages_text(table.links) + rows.str();
}

} // namespace nbrhood
