// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The component's MPI_T performance variables.
#pragma once

#include "common_mpi.h"

#include <string>
#include <vector>

namespace nbrhood_test {

/// The counts of the performance variables in this process since the object was made.
class Pvars {
public:
    /// Opens all variables; failure() then returns the error, or is empty.
    Pvars();
    ~Pvars();
    Pvars(const Pvars &) = delete;
    Pvars &operator=(const Pvars &) = delete;

    const std::string &failure() const { return failure_; }
    /// The value of a counter ("calls", ...), and of the variable in seconds ("creation_time").
    unsigned long long count(const std::string &name) const;
    double seconds(const std::string &name) const;

private:
    struct Row {
        const char *name;
        int variable_class;
        MPI_Datatype type;
    };
    static const std::vector<Row> &rows();
    void open(const Row &row);
    void read(const std::string &name, void *value) const;

    MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
    std::vector<MPI_T_pvar_handle> handles_; // by row
    std::string failure_;
};

} // namespace nbrhood_test
