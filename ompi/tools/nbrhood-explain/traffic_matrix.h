// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The traffic between ranks or nodes, coarse enough to be drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nbrhood_tools::explain {

/// Messages or bytes from items (ranks or nodes) to items; if there are many, several neighbouring
/// items share a row and a column.
class TrafficMatrix {
public:
    /// The greatest number of rows and columns in a picture.
    static constexpr std::size_t most_rows = 512;

    TrafficMatrix() = default;
    explicit TrafficMatrix(std::size_t items)
        : items_of_row_((items + most_rows - 1) / most_rows), items_(items),
          amounts_(items == 0 ? 0 : rows() * rows(), 0)
    {}

    void add(std::size_t from, std::size_t to, std::uint64_t amount)
    {
        amounts_[from / items_of_row_ * rows() + to / items_of_row_] += static_cast<double>(amount);
    }
    std::size_t rows() const
    {
        return items_of_row_ == 0 ? 0 : (items_ + items_of_row_ - 1) / items_of_row_;
    }
    std::size_t items_of_row() const { return items_of_row_; }
    double at(std::size_t row, std::size_t column) const { return amounts_[row * rows() + column]; }

private:
    std::size_t items_of_row_ = 0;
    std::size_t items_ = 0;
    std::vector<double> amounts_; ///< row by row
};

} // namespace nbrhood_tools::explain
