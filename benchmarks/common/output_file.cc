#include "output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sys/stat.h>

namespace nbrhood_bench {

namespace {

std::string beside(const std::string &path)
{
    return path + ".tmp";
}

std::string why(const std::string &path)
{
    return path + ": " + std::strerror(errno);
}

} // namespace

std::string replace_file(const std::string &path, const std::string &contents)
{
    errno = 0;
    std::ofstream file(beside(path));
    file << contents;
    file.close();
    if (!file || std::rename(beside(path).c_str(), path.c_str()) != 0)
        return why(path);
    return "";
}

std::string check_writable(const std::string &path)
{
    struct stat status {};
    if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return why(path);
    }
    errno = 0;
    std::ofstream file(beside(path));
    file.close();
    if (!file || std::remove(beside(path).c_str()) != 0)
        return why(path);
    return "";
}

} // namespace nbrhood_bench
