// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "allgather_call.h"

#include "common_communicator.h"
#include "common_persistent.h"
#include "common_random.h"
#include "common_run.h"

namespace nbrhood_test {

GatherCall::GatherCall(MPI_Comm comm, GatherVariant variant, const GatherArguments &arguments,
                       std::uint64_t seed)
    : comm_(comm), variant_(variant), arguments_(arguments), seed_(seed),
      world_ranks_(world_ranks(comm)), sent_type_(arguments.sent),
      received_type_(arguments.received)
{
    MPI_Comm_rank(comm, &rank_);
    const int size = static_cast<int>(world_ranks_.size());
    const auto reserve = [&](GuardedBuffer &buffer, const TypeModel &type, int ints, int which) {
        const std::ptrdiff_t spare = 2 * type.extent();
        buffer.reserve(-spare, type.count_for(ints) * type.extent() + spare,
                       is_on_device(rank_, which));
    };
    reserve(sent_, sent_type_, arguments.ints, 0);
    reserve(received_, received_type_, arguments.ints * size, 1);
}

int GatherCall::value(int source, int index) const
{
    return static_cast<int>(hash_of(seed_, round_, source, index));
}

void GatherCall::prepare(int round)
{
    round_ = round;
    sent_.clear();
    received_.clear();
    const int own = world_ranks_[static_cast<std::size_t>(rank_)];
    for (int i = 0; i < arguments_.ints; ++i) {
        if (arguments_.in_place)
            received_.put(received_type_.offset_of(rank_ * arguments_.ints + i), value(own, i));
        else
            sent_.put(sent_type_.offset_of(i), value(own, i));
    }
    sent_.to_device();
    received_.to_device();
}

std::string GatherCall::invoke()
{
    const void *from = arguments_.in_place ? MPI_IN_PLACE : sent_.origin();
    void *to = received_.origin();
    const int sends = arguments_.in_place ? 0 : sent_type_.count_for(arguments_.ints);
    const int receives = received_type_.count_for(arguments_.ints);
    MPI_Datatype sent = arguments_.in_place ? MPI_DATATYPE_NULL : sent_type_.handle();
    MPI_Datatype received = received_type_.handle();
    switch (variant_) {
    case GatherVariant::blocking:
        return failed_call("MPI_Allgather",
                           MPI_Allgather(from, sends, sent, to, receives, received, comm_));
    case GatherVariant::nonblocking:
        return failed_call("MPI_Iallgather", MPI_Iallgather(from, sends, sent, to, receives,
                                                            received, comm_, &request_));
    case GatherVariant::persistent:
        break;
    }
    begun_ = true;
    return failed_call("MPI_Allgather_init", NBRHOOD_TEST_PERSISTENT(Allgather_init)(
                                                 from, sends, sent, to, receives, received, comm_,
                                                 MPI_INFO_NULL, &request_));
}

std::string GatherCall::start()
{
    return failed_call("MPI_Start", MPI_Start(&request_));
}

std::string GatherCall::finish()
{
    if (variant_ != GatherVariant::blocking) {
        const std::string failure = failed_call("MPI_Wait", MPI_Wait(&request_, MPI_STATUS_IGNORE));
        if (!failure.empty())
            return failure;
    }
    return compare();
}

std::string GatherCall::run(int round)
{
    prepare(round);
    std::string failure;
    if (variant_ != GatherVariant::persistent || !begun_)
        failure = invoke();
    if (failure.empty() && variant_ == GatherVariant::persistent)
        failure = start();
    return failure.empty() ? finish() : failure;
}

std::string GatherCall::compare()
{
    GuardedBuffer expected = received_.like();
    for (std::size_t source = 0; source < world_ranks_.size(); ++source) {
        for (int i = 0; i < arguments_.ints; ++i)
            expected.put(received_type_.offset_of(static_cast<int>(source) * arguments_.ints + i),
                         value(world_ranks_[source], i));
    }
    received_.from_device();
    bool found = false;
    const std::ptrdiff_t at = received_.first_difference(expected, found);
    return found ? "byte " + std::to_string(at) + " of the receive buffer is wrong, round "
                       + std::to_string(round_)
                 : "";
}

void GatherCall::free_types()
{
    sent_type_.free();
    received_type_.free();
}

std::string GatherCall::free()
{
    return request_ == MPI_REQUEST_NULL
               ? ""
               : failed_call("MPI_Request_free", MPI_Request_free(&request_));
}

} // namespace nbrhood_test
