#include "algorithms/lockstep.h"

#include <deque>
#include <map>
#include <stdexcept>
#include <string>

namespace nbrhood {

std::size_t run_lockstep(const std::vector<std::unique_ptr<Builder>> &builders)
{
    std::map<std::pair<Rank, Rank>, std::deque<Message>> channels; // (source, destination)
    std::vector<Step> current(builders.size());
    std::vector<char> started(builders.size(), 0);
    std::size_t messages = 0;
    bool progress = true;
    while (progress) {
        progress = false;
        for (std::size_t r = 0; r < builders.size(); ++r) {
            const auto self = static_cast<Rank>(r);
            Step &step = current[r];
            if (step.done) {
                continue;
            }
            std::vector<Message> inbox;
            bool ready = true;
            for (Rank peer : step.expect) {
                const auto channel = channels.find({peer, self});
                ready = ready && channel != channels.end() && !channel->second.empty();
            }
            if (!ready && started[r] != 0) {
                continue;
            }
            for (Rank peer : step.expect) {
                auto &queue = channels[{peer, self}];
                inbox.push_back(std::move(queue.front()));
                queue.pop_front();
            }
            started[r] = 1;
            step = builders[r]->step(inbox);
            progress = true;
            for (Message &out : step.outbox) {
                if (out.peer < 0 || static_cast<std::size_t>(out.peer) >= builders.size()) {
                    throw std::runtime_error("rank " + std::to_string(r) + " writes to rank "
                                             + std::to_string(out.peer));
                }
                auto &queue = channels[{self, out.peer}];
                out.peer = self;
                queue.push_back(std::move(out));
                ++messages;
            }
        }
    }
    for (std::size_t r = 0; r < builders.size(); ++r) {
        if (!current[r].done) {
            throw std::runtime_error("the builder of rank " + std::to_string(r)
                                     + " waits for ever");
        }
    }
    for (const auto &[pair, queue] : channels) {
        if (!queue.empty()) {
            throw std::runtime_error("rank " + std::to_string(pair.second)
                                     + " leaves a message of rank " + std::to_string(pair.first)
                                     + " unread");
        }
    }
    return messages;
}

} // namespace nbrhood
