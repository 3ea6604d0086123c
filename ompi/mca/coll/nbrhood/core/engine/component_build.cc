#include "engine/component_build.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace nbrhood {
namespace {

// The messages of Channel::wave.
enum WaveWord : std::int32_t { kWave = 1, kAnswer, kGoOn, kNoGain };

constexpr std::size_t kRecordWords = sizeof(Record) / sizeof(std::int32_t);
constexpr std::size_t kRowWords = 1 + kRecordWords; // of the table: a rank and its record

[[noreturn]] void reject()
{
    throw BadWords("not a message of a build");
}

void put_counts(WordWriter &words, const CallCounts &counts)
{
    words.put_long(counts.calls);
    words.put_long(counts.requests);
    words.put_long(counts.starts);
}

CallCounts read_counts(const std::vector<std::int32_t> &from)
{
    WordReader words(from);
    const auto take = [&] {
        return static_cast<std::uint32_t>(
            words.take_long(0, std::numeric_limits<std::uint32_t>::max()));
    };
    CallCounts counts;
    counts.calls = take();
    counts.requests = take();
    counts.starts = take();
    words.expect_end();
    return counts;
}

std::uint64_t take_any(WordReader &words)
{
    return static_cast<std::uint64_t>(words.take_long(std::numeric_limits<std::int64_t>::min(),
                                                      std::numeric_limits<std::int64_t>::max()));
}

} // namespace

ComponentBuild::ComponentBuild(const Neighbourhood &neighbourhood, Place own_place,
                               Collective collective, const Settings &settings,
                               const std::function<Locality(Rank)> &locality, Post &post,
                               std::function<CallCounts()> freeze)
    : neighbourhood_(neighbourhood), own_place_(own_place), collective_(collective),
      settings_(settings), locality_(locality), post_(post), freeze_(std::move(freeze)),
      root_(neighbourhood.rank)
{
    topology_.served.fill(ServedSizes(1));
    for (const auto *ends : {&neighbourhood.in, &neighbourhood.out}) {
        for (const EdgeEnd &end : *ends) {
            if (end.peer != kNoRank && end.peer != neighbourhood.rank) {
                neighbours_.push_back(end.peer);
            }
        }
    }
    std::sort(neighbours_.begin(), neighbours_.end());
    neighbours_.erase(std::unique(neighbours_.begin(), neighbours_.end()), neighbours_.end());
}

// ---- Finding each other ----

bool ComponentBuild::is_before(Rank a, Rank b) const
{
    const auto key = [](Rank rank) {
        return std::pair(mix(static_cast<std::uint64_t>(rank)), rank);
    };
    return key(a) < key(b);
}

void ComponentBuild::begin()
{
    for (const EdgeEnd &end : neighbourhood_.out) {
        if (end.peer != kNoRank && locality_(end.peer) != Locality::same_region) {
            leaves_region_ = true;
        }
    }
    found_leaving_ = leaves_region_;
    if (neighbours_.empty()) {
        stage_ = Stage::ended;
        return;
    }
    open_ = neighbours_.size();
    for (const Rank peer : neighbours_) {
        post_.expect(peer, Channel::wave);
    }
    for (const Rank peer : neighbours_) {
        send_wave(peer, false);
    }
}

void ComponentBuild::send_wave(Rank peer, bool answer)
{
    post_.send(peer, Channel::wave, {answer ? kAnswer : kWave, root_, found_leaving_ ? 1 : 0});
}

void ComponentBuild::arrived(Rank peer, Channel channel, std::vector<std::int32_t> words)
{
    if (channel == Channel::step) {
        const auto slot = std::find_if(inbox_.begin(), inbox_.end(), [&](const Message &message) {
            return message.peer == peer && message.words.empty();
        });
        if (slot == inbox_.end() || words.empty()) {
            reject();
        }
        slot->words = std::move(words);
        --missing_;
        advance();
        return;
    }
    hear_wave(peer, words);
}

void ComponentBuild::hear_wave(Rank peer, const std::vector<std::int32_t> &words)
{
    WordReader reader(words);
    const std::int32_t kind = reader.take(kWave, kNoGain);
    if (kind == kGoOn || kind == kNoGain) { // the last message of this neighbour
        --open_;
        hear_verdict(kind == kGoOn);
        return;
    }
    post_.expect(peer, Channel::wave);
    const Rank root = reader.take();
    if (verdict_ || is_before(root_, root)) {
        return; // overtaken by another wave
    }
    if (root != root_) {
        root_ = root;
        parent_ = peer;
        children_.clear();
        heard_ = 0;
        found_leaving_ = leaves_region_;
        for (const Rank other : neighbours_) {
            if (other != peer) {
                send_wave(other, false);
            }
        }
    } else if (kind == kAnswer) {
        children_.push_back(peer);
        found_leaving_ = reader.take_flag() || found_leaving_;
    }
    if (++heard_ == neighbours_.size()) {
        if (root_ != neighbourhood_.rank) {
            send_wave(parent_, true);
        } else {
            hear_verdict(found_leaving_);
        }
    }
}

// The root's verdict goes over every edge, so that each rank knows when a neighbour sends no more
// waves.
void ComponentBuild::hear_verdict(bool go_on)
{
    if (verdict_) {
        return;
    }
    verdict_ = true;
    for (const Rank peer : neighbours_) {
        post_.send(peer, Channel::wave, {go_on ? kGoOn : kNoGain});
    }
    if (go_on) {
        await(Stage::records, children_);
        advance();
    } else {
        topology_.served[static_cast<std::size_t>(collective_)].front().reason =
            Reason::too_few_messages;
        stage_ = Stage::ended;
    }
}

// ---- Everything else, a stage after the other ----

void ComponentBuild::await(Stage stage, const std::vector<Rank> &peers)
{
    stage_ = stage;
    inbox_.clear();
    missing_ = peers.size();
    for (const Rank peer : peers) {
        inbox_.push_back(Message{peer, false, {}});
        post_.expect(peer, Channel::step);
    }
}

void ComponentBuild::advance()
{
    while (missing_ == 0 && stage_ != Stage::ended) {
        switch (stage_) {
        case Stage::records:
            pass_records();
            break;
        case Stage::table:
            pass_table(inbox_.front().words);
            break;
        case Stage::superstep:
            do_superstep();
            break;
        case Stage::sums:
            pass_sums();
            break;
        case Stage::total:
            pass_total(inbox_.front().words);
            break;
        case Stage::counts:
            pass_counts();
            break;
        case Stage::first:
            pass_first(inbox_.front().words);
            break;
        case Stage::wave:
        case Stage::ended:
            return;
        }
    }
}

// Sends what goes up, or, on the root, turns it round: the same function then handles it as what
// came down.
void ComponentBuild::send_up(Stage answer, std::vector<std::int32_t> words)
{
    if (parent_ != kNoRank) {
        post_.send(parent_, Channel::step, std::move(words));
        await(answer, {parent_});
    } else {
        stage_ = answer;
        inbox_ = {Message{kNoRank, false, std::move(words)}};
    }
}

void ComponentBuild::send_down(const std::vector<std::int32_t> &words)
{
    for (const Rank child : children_) {
        post_.send(child, Channel::step, words);
    }
}

void ComponentBuild::pass_records()
{
    Creator own(neighbourhood_, settings_, locality_, topology_);
    const Record record = own.record(own_place_);
    std::vector<std::int32_t> words(kRowWords);
    words[0] = neighbourhood_.rank;
    std::memcpy(&words[1], &record, sizeof record);
    for (const Message &message : inbox_) {
        words.insert(words.end(), message.words.begin(), message.words.end());
    }
    send_up(Stage::table, std::move(words));
}

void ComponentBuild::pass_table(const std::vector<std::int32_t> &words)
{
    send_down(words);
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
    inbox_.clear();
    stage_ = Stage::superstep;
}

Rank ComponentBuild::member(Rank number) const
{
    const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), number);
    if (found == numbers_.end() || *found != number) {
        reject();
    }
    return static_cast<Rank>(found - numbers_.begin());
}

void ComponentBuild::do_superstep()
{
    // A builder's message is its words behind one that says whether the sender failed.
    for (Message &message : inbox_) {
        message.peer = member(message.peer);
        message.failed = message.words.front() != 0;
        message.words.erase(message.words.begin());
    }
    const std::optional<Step> step = creator_->step(inbox_);
    if (step) {
        for (const Message &message : step->outbox) {
            std::vector<std::int32_t> words{message.failed ? 1 : 0};
            words.insert(words.end(), message.words.begin(), message.words.end());
            post_.send(number(message.peer), Channel::step, std::move(words));
        }
        std::vector<Rank> expected;
        for (const Rank rank : step->expect) {
            expected.push_back(number(rank));
        }
        await(Stage::superstep, expected);
    } else if (creator_->wants_sum()) {
        await(Stage::sums, children_);
    } else {
        creator_->finish();
        stage_ = Stage::ended;
    }
}

void ComponentBuild::pass_sums()
{
    std::vector<std::uint64_t> values = creator_->to_add();
    for (const Message &message : inbox_) {
        WordReader words(message.words);
        for (std::uint64_t &value : values) {
            value += take_any(words);
        }
        words.expect_end();
    }
    WordWriter words;
    for (const std::uint64_t value : values) {
        words.put_long(static_cast<std::int64_t>(value));
    }
    send_up(Stage::total, words.words());
}

void ComponentBuild::pass_total(const std::vector<std::int32_t> &words)
{
    send_down(words);
    std::vector<std::uint64_t> values(creator_->to_add().size());
    WordReader reader(words);
    for (std::uint64_t &value : values) {
        value = take_any(reader);
    }
    reader.expect_end();
    creator_->added(values);
    creator_->finish();
    const ServedSizes &sizes = topology_.served[static_cast<std::size_t>(collective_)];
    if (std::any_of(sizes.begin(), sizes.end(),
                    [](const Served &served) { return served.choice > kFirstRow + kDirect; })) {
        counts_ = freeze_();
        await(Stage::counts, children_);
    } else {
        stage_ = Stage::ended;
    }
}

void ComponentBuild::pass_counts()
{
    for (const Message &message : inbox_) {
        const CallCounts more = read_counts(message.words);
        counts_.calls = std::max(counts_.calls, more.calls);
        counts_.requests = std::max(counts_.requests, more.requests);
        counts_.starts = std::max(counts_.starts, more.starts);
    }
    WordWriter words;
    put_counts(words, counts_);
    send_up(Stage::first, words.words());
}

// Of counts that say how many there may be, the numbers, from 0 on, of the first that there are
// not.
void ComponentBuild::pass_first(const std::vector<std::int32_t> &words)
{
    send_down(words);
    first_ = read_counts(words);
    stage_ = Stage::ended;
}

} // namespace nbrhood
