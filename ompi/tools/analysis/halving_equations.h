// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The performance model of the paper on distance halving, as printed.
#pragma once

namespace nbrhood {

// The setting of the equations of Sharifian, Sojoodi, Afsahi (2024), section V: a random graph on
// `ranks` ranks (n), with `per_socket` ranks (L) on a socket and `sockets` (S) on a node; each
// ordered pair is an edge with probability `density`. Messages take `latency` seconds (alpha) and 1
// / `bandwidth` (beta, bytes a second) for each byte; blocks have `block_bytes` (m).
struct HalvingModel {
    double ranks = 0;
    double per_socket = 1;
    double sockets = 1;
    double density = 0;
    double latency = 0;
    double bandwidth = 1;
    double block_bytes = 0;

    // Mean number of messages that a rank sends: off its socket (equation 1), and on it (equation
    // 2).
    double messages_off_socket() const;
    double messages_on_socket() const;
    // Bytes of one message on the socket (equation 3).
    double bytes_on_socket() const;
    // Seconds of one rank with one message per edge (equation 4), and of a call (equation 5).
    double naive_seconds_of_rank() const;
    double naive_seconds() const;
    // Seconds of one rank off its socket (equation 6) and on it (equation 7), and of a call
    // (equation 8). Equation 6 prints the sum of the bytes as that of 2^(n_off + 1) - 1 messages.
    double off_socket_seconds() const;
    double on_socket_seconds() const;
    double seconds() const;

private:
    double steps() const; // iterations of halving, one more than needed: ceil(log2(n / L)) + 1
};

} // namespace nbrhood
