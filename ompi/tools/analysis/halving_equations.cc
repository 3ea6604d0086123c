// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/halving_equations.h"

#include <algorithm>
#include <cmath>

namespace nbrhood {

double HalvingModel::steps() const
{
    return std::ceil(std::log2(ranks / per_socket)) + 1;
}

double HalvingModel::messages_off_socket() const
{
    return std::min(steps(), density * (ranks - per_socket));
}

double HalvingModel::messages_on_socket() const
{
    return (1 - std::pow(1 - density, steps() + 1)) * per_socket;
}

double HalvingModel::bytes_on_socket() const
{
    return density * messages_on_socket() * block_bytes;
}

double HalvingModel::naive_seconds_of_rank() const
{
    return 2 * density * ranks * (latency + block_bytes / bandwidth);
}

double HalvingModel::naive_seconds() const
{
    return sockets * per_socket * naive_seconds_of_rank();
}

double HalvingModel::off_socket_seconds() const
{
    const double messages = messages_off_socket();
    return messages * latency + (std::exp2(messages + 1) - 1) * block_bytes / bandwidth;
}

double HalvingModel::on_socket_seconds() const
{
    return messages_on_socket() * (latency + bytes_on_socket() / bandwidth);
}

double HalvingModel::seconds() const
{
    return 2 * sockets * per_socket * (off_socket_seconds() + on_socket_seconds());
}

} // namespace nbrhood
