#include "engine/component_build.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nbrhood {
namespace {

constexpr std::size_t kRecordWords = sizeof(Record) / sizeof(std::int32_t);
constexpr std::size_t kRowWords = 1 + kRecordWords; // of the table: a rank and its record

// The other ranks that a rank has edges with, each once.
std::vector<Rank> neighbours_of(const Neighbourhood &neighbourhood)
{
    std::vector<Rank> neighbours;
    for (const auto *ends : {&neighbourhood.in, &neighbourhood.out}) {
        for (const EdgeEnd &end : *ends) {
            if (end.peer != kNoRank && end.peer != neighbourhood.rank) {
                neighbours.push_back(end.peer);
            }
        }
    }
    std::sort(neighbours.begin(), neighbours.end());
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
    return neighbours;
}

} // namespace

ComponentBuild::ComponentBuild(const Neighbourhood &neighbourhood, Place own_place,
                               Collective collective, const Settings &settings,
                               const std::function<Locality(Rank)> &locality, Post &post,
                               std::function<CallCounts()> freeze)
    : neighbourhood_(neighbourhood), own_place_(own_place), collective_(collective),
      settings_(settings), locality_(locality), freeze_(std::move(freeze)),
      has_neighbours_(!neighbours_of(neighbourhood).empty()),
      echo_(neighbourhood.rank, neighbours_of(neighbourhood), post), tree_(post)
{
    topology_.served.fill(ServedSizes(1));
}

void ComponentBuild::begin()
{
    if (!has_neighbours_) {
        stage_ = Stage::ended;
        return;
    }
    echo_.begin(
        std::any_of(neighbourhood_.out.begin(), neighbourhood_.out.end(), [&](const EdgeEnd &end) {
            return end.peer != kNoRank && locality_(end.peer) != Locality::same_region;
        }));
}

void ComponentBuild::arrived(Rank peer, Channel channel, std::vector<std::int32_t> words)
{
    if (channel == Channel::step) {
        tree_.arrived(peer, std::move(words));
    } else {
        echo_.hear(peer, words);
    }
    if (stage_ == Stage::wave) {
        take_verdict();
    }
    advance();
}

void ComponentBuild::take_verdict()
{
    const std::optional<bool> &go_on = echo_.verdict();
    if (!go_on) {
        return;
    }
    tree_.place(echo_.parent(), echo_.children());
    if (*go_on) {
        await(Stage::records, tree_.children());
    } else {
        topology_.served[static_cast<std::size_t>(collective_)].front().reason =
            Reason::too_few_messages;
        stage_ = Stage::ended;
    }
}

void ComponentBuild::advance()
{
    while (tree_.complete()) {
        switch (stage_) {
        case Stage::records:
            pass_records();
            break;
        case Stage::table:
            pass_table(tree_.inbox().front().words);
            break;
        case Stage::superstep:
            do_superstep();
            break;
        case Stage::sums:
            send_up(Stage::total, tree_.add(creator_->to_add()));
            break;
        case Stage::total:
            pass_total(tree_.inbox().front().words);
            break;
        case Stage::counts:
            send_up(Stage::first, tree_.greatest(counts_));
            break;
        case Stage::first:
            pass_first(tree_.inbox().front().words);
            break;
        case Stage::wave:
        case Stage::ended:
            return;
        }
    }
}

void ComponentBuild::pass_records()
{
    Creator own(neighbourhood_, settings_, locality_, topology_);
    const Record record = own.record(own_place_);
    std::vector<std::int32_t> words(kRowWords);
    words[0] = neighbourhood_.rank;
    std::memcpy(&words[1], &record, sizeof record);
    for (const Message &message : tree_.inbox()) {
        words.insert(words.end(), message.words.begin(), message.words.end());
    }
    send_up(Stage::table, std::move(words));
}

void ComponentBuild::pass_table(const std::vector<std::int32_t> &words)
{
    tree_.send_down(words);
    std::vector<std::pair<Rank, Record>> rows;
    for (std::size_t at = 0; at + kRowWords <= words.size(); at += kRowWords) {
        rows.emplace_back(words[at], Record{});
        std::memcpy(static_cast<void *>(&rows.back().second), &words[at + 1], sizeof(Record));
    }
    std::sort(rows.begin(), rows.end(),
              [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<Record> records;
    for (const auto &row : rows) {
        numbers_.push_back(row.first);
        records.push_back(row.second);
    }
    members_neighbourhood_ = neighbourhood_;
    members_neighbourhood_.rank = member(neighbourhood_.rank);
    for (auto *ends : {&members_neighbourhood_.in, &members_neighbourhood_.out}) {
        for (EdgeEnd &end : *ends) {
            end.peer = end.peer == kNoRank ? kNoRank : member(end.peer);
        }
    }
    members_locality_ = [this](Rank rank) { return locality_(number(rank)); };
    creator_.emplace(members_neighbourhood_, settings_, members_locality_, topology_, &numbers_);
    creator_->gathered(records);
    tree_.await({});
    stage_ = Stage::superstep;
}

Rank ComponentBuild::member(Rank number) const
{
    const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), number);
    if (found == numbers_.end() || *found != number) {
        throw BadWords("not a rank of the component");
    }
    return static_cast<Rank>(found - numbers_.begin());
}

void ComponentBuild::do_superstep()
{
    // A builder's message is its words behind one that says whether the sender failed.
    for (Message &message : tree_.inbox()) {
        message.peer = member(message.peer);
        message.failed = message.words.front() != 0;
        message.words.erase(message.words.begin());
    }
    const std::optional<Step> step = creator_->step(tree_.inbox());
    if (step) {
        for (const Message &message : step->outbox) {
            std::vector<std::int32_t> words{message.failed ? 1 : 0};
            words.insert(words.end(), message.words.begin(), message.words.end());
            tree_.send(number(message.peer), std::move(words));
        }
        std::vector<Rank> expected;
        for (const Rank rank : step->expect) {
            expected.push_back(number(rank));
        }
        await(Stage::superstep, expected);
    } else if (creator_->wants_sum()) {
        await(Stage::sums, tree_.children());
    } else {
        creator_->finish();
        stage_ = Stage::ended;
    }
}

void ComponentBuild::pass_total(const std::vector<std::int32_t> &words)
{
    tree_.send_down(words);
    const std::vector<std::uint64_t> sums = Tree::read_sums(words);
    if (sums.size() != creator_->to_add().size()) {
        throw BadWords("not as many sums as this rank has");
    }
    creator_->added(sums);
    creator_->finish();
    const ServedSizes &sizes = topology_.served[static_cast<std::size_t>(collective_)];
    if (std::any_of(sizes.begin(), sizes.end(),
                    [](const Served &served) { return served.choice > kFirstRow + kDirect; })) {
        counts_ = freeze_();
        await(Stage::counts, tree_.children());
    } else {
        stage_ = Stage::ended;
    }
}

// Of counts that say how many there may be, the numbers, from 0 on, of the first that there are
// not.
void ComponentBuild::pass_first(const std::vector<std::int32_t> &words)
{
    tree_.send_down(words);
    first_ = Tree::read_counts(words);
    stage_ = Stage::ended;
}

} // namespace nbrhood
