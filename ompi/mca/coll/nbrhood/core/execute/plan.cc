#include "execute/plan.h"

#include <algorithm>
#include <cstring>

namespace nbrhood {

Plan::Plan(std::shared_ptr<const Program> program, const WireSettings &wire, Transport &transport,
           bool settles)
    : program_(std::move(program)), wire_(wire), transport_(transport), layout_(*program_),
      staged_(program_->staging_blocks()), waiting_(program_->sends().size(), 0),
      arrivals_(program_->receives().size()), send_buffers_(program_->sends().size()),
      receive_buffers_(program_->receives().size()), rest_buffers_(program_->receives().size()),
      loose_buffers_(program_->slices().size()), settles_(settles && program_->relays())
{
    const std::size_t sends = program_->sends().size();
    const std::size_t receives = program_->receives().size();
    tokens_.resize(2 * (sends + receives) + program_->slices().size());
    events_.reserve(tokens_.size()); // each token completes once in an operation
    for (Token &token : tokens_) {
        token.plan = this;
    }
    for (std::size_t i = 0; i < sends + receives; ++i) {
        const bool is_send = i < sends;
        Token &first = tokens_[i];
        Token &rest = tokens_[sends + receives + i];
        first.index = rest.index = static_cast<std::uint32_t>(is_send ? i : i - sends);
        first.kind = is_send ? Token::send : Token::receive;
        rest.kind = is_send ? Token::send_rest : Token::receive_rest;
    }
    for (std::size_t i = 0; i < receives; ++i) {
        if (program_->receives()[i].carry == Carry::ride) {
            const Program::Item &item = program_->receives()[i];
            receive_buffers_[i].resize(prefix(item) + room(item));
        }
    }
}

std::size_t Plan::prefix(const Program::Item &item) const
{
    return sizeof(Header) + item.slice_count * sizeof(std::uint64_t);
}

// Bytes of payload in the first message of an operation, behind header and sizes; what exceeds them
// follows. The receiver preposts as much.
std::size_t Plan::room(const Program::Item &item) const
{
    return std::min(wire_.relay_buffer,
                    item.slice_count * std::min(wire_.ride_threshold, wire_.pack_limit));
}

int Plan::tag(const Program::Item &item, bool rest) const
{
    return tag_base_ + item.phase + (rest ? kPhases : 0);
}

bool Plan::takes_place(const Program::Item &item, const std::vector<UserBlock> &blocks) const
{
    return item.carry != Carry::large
           || !rides(blocks[program_->slices()[item.first_slice].block].bytes);
}

void Plan::record(int error)
{
    if (error != 0 && error_ == 0) {
        error_ = error;
    }
}

// As record(); what this rank would pass on is missing, too, so its relayed messages say so from
// here on. peer: the rank whose message it was, or this one.
void Plan::lose(int error, Rank peer)
{
    record(error);
    if (error != 0 && lost_.error == 0) {
        lost_ = Failure{error, program_->rank(), peer};
    }
}

// Counts a message that was given to the transport; one that could not be started is completed
// here.
void Plan::post(int started, Token &token)
{
    if (started != 0) {
        completed(token, started, 0);
    }
}

void Plan::start(int tag_base, std::uint32_t sequence)
{
    if (settles_ && settled_.ready()) {
        use_settled_ = true;
    }
    if (broken_ != 0) {
        transport_.finished(*this, broken_);
        return;
    }
    tag_base_ = tag_base;
    sequence_ = sequence;
    error_ = settled_error_;
    lost_ = Failure{};
    pending_ = 1; // this call itself: nothing finishes before everything is posted
    draining_ = true;
    if (!settles_ && program_->relays() && wire_.remove_duplicates) {
        values_.find(send_blocks_, transport_, nullptr, kLongRun);
    }
    for (std::uint32_t i = 0; i < waiting_.size(); ++i) {
        waiting_[i] = program_->sends()[i].waits_for;
    }
    for (std::uint32_t i = 0; i < program_->receives().size(); ++i) {
        post_receive(i);
    }
    for (std::uint32_t i = 0; i < program_->sends().size(); ++i) {
        if (program_->sends()[i].waits_for == 0) {
            launch_send(i);
        }
    }
    run_copies();
    --pending_;
    drain();
}

void Plan::run_copies()
{
    for (const auto &[from, to] : program_->copies()) {
        record(transport_.copy_block(send_blocks_[from.block], receive_blocks_[to.block]));
    }
}

void Plan::post_receive(std::uint32_t index)
{
    const Program::Item &item = program_->receives()[index];
    Token &token = tokens_[program_->sends().size() + index];
    if (item.carry != Carry::ride) {
        // Later starts of a persistent plan know what its sender believes of the block.
        if (takes_place(item, receive_blocks_) != (use_settled_ && arrivals_[index].disputed)) {
            const UserBlock &block = receive_blocks_[program_->slices()[item.first_slice].block];
            ++pending_;
            post(transport_.receive_block(block, item.peer, tag(item, false), token), token);
        }
        return;
    }
    ++pending_;
    if (use_settled_) {
        post_settled(index);
        return;
    }
    arrivals_[index] = Arrival{};
    arrivals_[index].missing = 1;
    std::vector<char> &buffer = receive_buffers_[index];
    post(transport_.receive_bytes(buffer.data(), buffer.size(), item.peer, tag(item, false), token),
         token);
}

void Plan::launch_send(std::uint32_t index)
{
    const Program::Item &item = program_->sends()[index];
    Token &token = tokens_[index];
    if (item.carry != Carry::ride) {
        if (takes_place(item, send_blocks_)) {
            const UserBlock &block = send_blocks_[program_->slices()[item.first_slice].block];
            ++pending_;
            post(transport_.send_block(block, item.peer, tag(item, false), token), token);
        }
        return;
    }
    if (use_settled_) {
        launch_settled(index);
    } else {
        launch_relayed(index);
    }
}

std::size_t Plan::slice_bytes(const Slice &slice) const
{
    return slice.space == Space::staging ? staged_[slice.block].bytes
                                         : send_blocks_[slice.block].bytes;
}

void Plan::append_payload(const Slice &slice, std::size_t bytes, char *to)
{
    if (slice.space == Space::staging && staged_[slice.block].runs != nullptr) {
        for (const Run &run : *staged_[slice.block].runs) {
            std::memcpy(to, staged_[slice.block].at + run.at, run.bytes);
            to += run.bytes;
        }
    } else if (slice.space == Space::staging) {
        std::memcpy(to, staged_[slice.block].at, bytes);
    } else if (send_blocks_[slice.block].data != nullptr) {
        std::memcpy(to, send_blocks_[slice.block].data, bytes);
    } else {
        lose(transport_.pack(send_blocks_[slice.block], to), program_->rank());
    }
}

void Plan::launch_relayed(std::uint32_t index)
{
    const Program::Item &item = program_->sends()[index];
    Header header = expected_header(item);
    const bool pooled = fill_pool(index);
    if (pooled) {
        header.table = pool_.table_bytes();
        header.payload = header.table + pool_.bytes();
    } else {
        for (std::size_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
            header.payload += packed(slice_bytes(program_->slices()[i]));
        }
    }
    std::vector<char> &buffer = send_buffers_[index];
    buffer.resize(prefix(item) + header.payload);
    char *size_at = buffer.data() + sizeof(Header);
    char *payload_at = buffer.data() + prefix(item);
    for (std::size_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const Slice &slice = program_->slices()[i];
        const std::uint64_t bytes = slice_bytes(slice);
        std::memcpy(size_at, &bytes, sizeof bytes);
        size_at += sizeof bytes;
        layout_.sizes[i] = rides(bytes) ? bytes : 0;
        if (!pooled && packed(bytes) != 0) {
            append_payload(slice, bytes, payload_at);
            payload_at += bytes;
        }
    }
    if (pooled) {
        pool_.write_table(payload_at);
        pool_.write(payload_at + header.table);
    }
    if (lost_.error != 0) {
        header.failed = static_cast<std::uint32_t>(lost_.error);
        header.payload = 0; // what is missing has no place in it, so nothing follows
        header.table = lost_.encode();
        buffer.resize(prefix(item));
    }
    std::memcpy(buffer.data(), &header, sizeof header);
    const std::size_t first = std::min(buffer.size(), prefix(item) + room(item));
    const bool synchronous = sequence_ % kRunAhead == kRunAhead - 1;
    Token &token = tokens_[index];
    ++pending_;
    post(transport_.send_bytes(buffer.data(), first, item.peer, tag(item, false), synchronous,
                               token),
         token);
    if (first < buffer.size()) {
        Token &rest = tokens_[program_->sends().size() + program_->receives().size() + index];
        ++pending_;
        post(transport_.send_bytes(buffer.data() + first, buffer.size() - first, item.peer,
                                   tag(item, true), false, rest),
             rest);
    }
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const Slice &slice = program_->slices()[i];
        if (header.failed == 0 && !pooled && loose(layout_.sizes[i])) {
            if (slice.space == Space::staging) {
                send_loose(i, staged_[slice.block].at, nullptr, layout_.sizes[i]);
            } else {
                send_loose(i, nullptr, &send_blocks_[slice.block], layout_.sizes[i]);
            }
        }
    }
}

// Sends a block on its own, from plain memory if it lies in any.
void Plan::send_loose(std::uint32_t slice, const void *from, const UserBlock *block,
                      std::size_t bytes)
{
    const Program::Item &item = program_->sends()[program_->owner(slice)];
    Token &token = tokens_[tokens_.size() - program_->slices().size() + slice];
    token.kind = Token::send_loose;
    token.index = slice;
    ++pending_;
    if (block != nullptr && block->data == nullptr && bytes != 0) {
        post(transport_.send_block(*block, item.peer, tag(item, true), token), token);
    } else {
        post(transport_.send_bytes(block != nullptr ? block->data : from, bytes, item.peer,
                                   tag(item, true), sequence_ % kRunAhead == kRunAhead - 1, token),
             token);
    }
}

void Plan::completed(Token &token, int error, std::size_t bytes)
{
    token.request = nullptr;
    events_.push_back(Event{token.kind, token.index, error, bytes});
    if (!draining_) {
        draining_ = true;
        drain();
    }
}

// Handles events, including those that handling brings about, and finishes the plan after the last.
void Plan::drain()
{
    for (std::size_t next = 0; next < events_.size(); ++next) {
        const Event event = events_[next];
        handle(event);
    }
    events_.clear();
    draining_ = false;
    if (pending_ == 0) {
        if (settles_ && !settled_.ready()) {
            settle();
        }
        transport_.finished(*this, error_);
    }
}

// After the first start of a persistent request. All ranks leave out their headers from here on, so
// one that did not learn its sizes cannot take part any more.
void Plan::settle()
{
    if (std::any_of(arrivals_.begin(), arrivals_.end(),
                    [](const Arrival &arrival) { return !arrival.understood; })) {
        broken_ = error_;
        return;
    }
    try {
        settled_error_ = error_;
        settled_.bind(*program_, layout_, wire_.pack_limit, transport_, send_blocks_,
                      receive_blocks_, error_ == 0);
    } catch (const std::bad_alloc &) {
        broken_ = error_ = transport_.out_of_memory();
    }
    for (auto *buffers : {&send_buffers_, &receive_buffers_, &rest_buffers_, &loose_buffers_}) {
        std::vector<std::vector<char>>(buffers->size()).swap(*buffers);
    }
    std::vector<std::vector<Run>>(layout_.runs.size()).swap(layout_.runs);
    values_ = Values();
    pool_ = Pool();
}

void Plan::handle(const Event &event)
{
    record(event.error);
    const std::uint32_t index = event.index;
    switch (event.kind) {
    case Token::send:
    case Token::send_rest:
    case Token::send_loose:
        --pending_;
        break;
    case Token::receive:
        if (program_->receives()[index].carry != Carry::ride) {
            --pending_;
            break;
        }
        lose(event.error, program_->receives()[index].peer);
        if (use_settled_) {
            check_settled(index, event.bytes, settled_.receive(index).bytes);
        } else {
            parse(index, event.error == 0 ? event.bytes : 0);
        }
        part_arrived(index);
        break;
    case Token::receive_rest:
        check_part(index, event, rest_buffers_[index].size() - room(program_->receives()[index]));
        part_arrived(index);
        break;
    case Token::receive_loose:
        check_part(program_->owner(index), event, layout_.sizes[index]);
        part_arrived(program_->owner(index));
        break;
    }
}

std::size_t Plan::memory() const
{
    std::size_t total = settled_.memory();
    for (const auto *buffers :
         {&send_buffers_, &receive_buffers_, &rest_buffers_, &loose_buffers_}) {
        for (const std::vector<char> &buffer : *buffers) {
            total += buffer.capacity();
        }
    }
    return total;
}

} // namespace nbrhood
