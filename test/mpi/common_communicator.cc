// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "common_communicator.h"

#include "algorithms/registry.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace nbrhood_test {

namespace {

/// The component's algorithm parameter of a collective.
std::string parameter_of(nbrhood::Collective collective)
{
    return std::string("coll_nbrhood_") + nbrhood::name_of(collective) + "_algorithm";
}

/// The algorithm if it serves the collective, else direct.
std::string value_for(nbrhood::Collective collective, const std::string &algorithm)
{
    return serves(algorithm, static_cast<Operation>(collective))
               ? algorithm
               : nbrhood::registry()[nbrhood::kDirect].name;
}

MPI_Comm create_dist_graph(MPI_Comm parent, const Topology &topology, MPI_Info info,
                           Construction construction)
{
    int rank = 0;
    MPI_Comm_rank(parent, &rank);
    const Neighbourhood &mine = topology.at(rank);
    const auto weights = [&](const std::vector<int> &peers, int here) {
        std::vector<int> w;
        for (int peer : peers)
            w.push_back(1 + (peer + here) % 7);
        w.push_back(0); // never empty: a null pointer would mean something else
        return w;
    };
    const std::vector<int> in_weights = weights(mine.in, rank),
                           out_weights = weights(mine.out, rank);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(parent, static_cast<int>(mine.in.size()), mine.in.data(),
                                   construction.weighted ? in_weights.data() : MPI_UNWEIGHTED,
                                   static_cast<int>(mine.out.size()), mine.out.data(),
                                   construction.weighted ? out_weights.data() : MPI_UNWEIGHTED,
                                   info, construction.reorder ? 1 : 0, &made);
    return made;
}

MPI_Comm create_graph(MPI_Comm parent, const Topology &topology, Construction construction)
{
    std::vector<int> index, edges;
    for (int rank = 0; rank < topology.size(); ++rank) {
        edges.insert(edges.end(), topology.at(rank).out.begin(), topology.at(rank).out.end());
        index.push_back(static_cast<int>(edges.size()));
    }
    edges.push_back(0);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Graph_create(parent, topology.size(), index.data(), edges.data(),
                     construction.reorder ? 1 : 0, &made);
    return made;
}

} // namespace

Communicator::Communicator(MPI_Comm handle) : handle_(handle)
{
    if (handle_ != MPI_COMM_NULL)
        MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN);
}

Communicator &Communicator::operator=(Communicator &&other) noexcept
{
    if (this != &other) {
        free();
        handle_ = other.release();
    }
    return *this;
}

int Communicator::rank() const
{
    int rank = -1;
    MPI_Comm_rank(handle_, &rank);
    return rank;
}

int Communicator::size() const
{
    int size = 0;
    MPI_Comm_size(handle_, &size);
    return size;
}

void Communicator::free()
{
    if (handle_ != MPI_COMM_NULL)
        MPI_Comm_free(&handle_);
    handle_ = MPI_COMM_NULL;
}

MPI_Comm Communicator::release()
{
    const MPI_Comm handle = handle_;
    handle_ = MPI_COMM_NULL;
    return handle;
}

std::vector<int> world_ranks(MPI_Comm comm)
{
    int size = 0;
    MPI_Comm_size(comm, &size);
    MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
    MPI_Comm_group(comm, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    std::vector<int> ranks(static_cast<std::size_t>(size)), found(ranks.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    MPI_Group_translate_ranks(group, size, ranks.data(), world, found.data());
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return found;
}

MPI_Info algorithm_info(const std::string &algorithm)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    if (algorithm == stock) {
        MPI_Info_set(info, "ompi_comm_coll_preference", "^nbrhood");
    } else {
        MPI_Info_set(info, "nbrhood_algorithm", algorithm.c_str());
    }
    return info;
}

Communicator duplicate_with_algorithm(MPI_Comm comm, const std::string &algorithm)
{
    MPI_Info info = algorithm_info(algorithm);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup_with_info(comm, info, &made);
    MPI_Info_free(&info);
    return Communicator(made);
}

Communicator make_communicator(MPI_Comm parent, const Topology &topology,
                               const std::string &algorithm, Construction construction)
{
    if (topology.kind() == Topology::Kind::dist_graph) {
        MPI_Info info = algorithm_info(algorithm);
        if (construction.excluded)
            MPI_Info_set(info, "ompi_comm_coll_preference", "^nbrhood");
        if (!construction.block_bytes.empty())
            MPI_Info_set(info, "nbrhood_block_bytes", construction.block_bytes.c_str());
        if (!construction.reuse.empty())
            MPI_Info_set(info, "nbrhood_reuse", construction.reuse.c_str());
        const MPI_Comm made = create_dist_graph(parent, topology, info, construction);
        MPI_Info_free(&info);
        return Communicator(made);
    }
    MPI_Comm made = MPI_COMM_NULL;
    if (topology.kind() == Topology::Kind::graph) {
        made = create_graph(parent, topology, construction);
    } else {
        MPI_Cart_create(parent, static_cast<int>(topology.dims().size()), topology.dims().data(),
                        topology.periods().data(), construction.reorder ? 1 : 0, &made);
    }
    Communicator plain(made);
    // These constructors take no info, but a duplicate can use Open MPI's own functions.
    if (!plain || algorithm != stock)
        return plain;
    return duplicate_with_algorithm(plain.get(), algorithm);
}

void choose_by_environment(const std::string &algorithm)
{
    if (algorithm == stock)
        return;
    for (int c = 0; c < nbrhood::kCollectives; ++c) {
        const auto collective = static_cast<nbrhood::Collective>(c);
        setenv(("OMPI_MCA_" + parameter_of(collective)).c_str(),
               value_for(collective, algorithm).c_str(), 1);
    }
}

bool serves(const std::string &algorithm, Operation operation)
{
    const auto collective = static_cast<nbrhood::Collective>(operation);
    const auto &rows = nbrhood::registry();
    return std::none_of(rows.begin(), rows.end(), [&](const nbrhood::Algorithm &row) {
        return algorithm == row.name && (row.serves & nbrhood::bit(collective)) == 0;
    });
}

std::vector<std::string> algorithms_of(const std::vector<std::string> &names)
{
    std::vector<std::string> algorithms;
    for (const std::string &name : names) {
        if (name == "all") {
            for (const nbrhood::Algorithm &row : nbrhood::registry())
                algorithms.emplace_back(row.name);
        } else if (name[0] == '^') {
            algorithms.erase(std::remove(algorithms.begin(), algorithms.end(), name.substr(1)),
                             algorithms.end());
        } else {
            algorithms.push_back(name);
        }
    }
    return algorithms;
}

Parameters::Parameters()
{
    int provided = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
}

Parameters::~Parameters()
{
    MPI_T_finalize();
}

namespace {

/// An open handle of a control variable, with its datatype and enumeration.
class ControlVariable {
public:
    explicit ControlVariable(const std::string &name)
    {
        int index = 0;
        if (MPI_T_cvar_get_index(name.c_str(), &index) != MPI_SUCCESS)
            return;
        char text[256], description[256];
        int text_length = sizeof text, description_length = sizeof description;
        int verbosity = 0, binding = 0, scope = 0, count = 0;
        if (MPI_T_cvar_get_info(index, text, &text_length, &verbosity, &type, &enumeration,
                                description, &description_length, &binding, &scope)
            != MPI_SUCCESS) {
            return;
        }
        open =
            MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS && count == 1;
    }
    ~ControlVariable()
    {
        if (open)
            MPI_T_cvar_handle_free(&handle);
    }
    ControlVariable(const ControlVariable &) = delete;
    ControlVariable &operator=(const ControlVariable &) = delete;

    bool open = false;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    MPI_T_enum enumeration = MPI_T_ENUM_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
};

} // namespace

long Parameters::read(const std::string &name, long fallback) const
{
    ControlVariable variable(name);
    if (!variable.open)
        return fallback;
    union {
        int as_int;
        long as_long;
    } value = {};
    value.as_long = 0;
    if (MPI_T_cvar_read(variable.handle, &value) != MPI_SUCCESS)
        return fallback;
    const bool narrow = variable.type == MPI_INT || variable.type == MPI_UNSIGNED;
    return narrow ? value.as_int : value.as_long;
}

bool Parameters::choose(const std::string &name, const std::string &value) const
{
    ControlVariable variable(name);
    if (!variable.open || variable.enumeration == MPI_T_ENUM_NULL)
        return false;
    char text[256];
    int length = sizeof text, items = 0;
    if (MPI_T_enum_get_info(variable.enumeration, &items, text, &length) != MPI_SUCCESS)
        return false;
    for (int i = 0; i < items; ++i) {
        int number = 0;
        length = sizeof text;
        if (MPI_T_enum_get_item(variable.enumeration, i, &number, text, &length) == MPI_SUCCESS
            && value == text) {
            return MPI_T_cvar_write(variable.handle, &number) == MPI_SUCCESS;
        }
    }
    return false;
}

bool Parameters::choose_algorithm(const std::string &algorithm) const
{
    bool all = true;
    for (int c = 0; c < nbrhood::kCollectives; ++c) {
        const auto collective = static_cast<nbrhood::Collective>(c);
        all = choose(parameter_of(collective), value_for(collective, algorithm)) && all;
    }
    return all;
}

bool Parameters::component_present() const
{
    int index = 0;
    return MPI_T_cvar_get_index("coll_nbrhood_priority", &index) == MPI_SUCCESS;
}

} // namespace nbrhood_test
