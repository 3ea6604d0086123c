// Builds while the program runs, for the glue.
#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <optional>

#include "capi/nbrhood_core.h"
#include "capi/topology.h"
#include "engine/component_build.h"
#include "engine/heirs.h"
#include "engine/size_watch.h"
#include "engine/trial.h"

using namespace nbrhood;

static_assert(NBRHOOD_CHANNEL_WAVE == static_cast<int>(Channel::wave)
                  && NBRHOOD_CHANNEL_STEP == static_cast<int>(Channel::step),
              "the C interface has the same channels");
static_assert(NBRHOOD_TRIAL_BLOCKS == kTrialBlocks && NBRHOOD_TRIAL_ROUNDS == kTrialRounds,
              "the C interface has as many blocks and rounds");
static_assert(NBRHOOD_HEIR_NOT_KNOWN == static_cast<int>(Heir::not_known)
                  && NBRHOOD_HEIR_BEGINS_ANEW == static_cast<int>(Heir::begins_anew)
                  && NBRHOOD_HEIR_INHERITS == static_cast<int>(Heir::inherits),
              "the C interface says the same of duplicates");

namespace {

class GluePost : public Post {
public:
    explicit GluePost(const nbrhood_post &callbacks) : callbacks_(callbacks) {}

    void send(Rank peer, Channel channel, std::vector<std::int32_t> words) override
    {
        callbacks_.send(callbacks_.context, peer, static_cast<int>(channel), words.data(),
                        words.size());
    }
    void expect(Rank peer, Channel channel) override
    {
        callbacks_.expect(callbacks_.context, peer, static_cast<int>(channel));
    }
    Locality locality(Rank peer) const
    {
        return static_cast<Locality>(callbacks_.locality(callbacks_.context, peer));
    }
    CallCounts freeze() const
    {
        const nbrhood_call_counts counts = callbacks_.freeze(callbacks_.context);
        return CallCounts{counts.calls, counts.requests, counts.starts};
    }

private:
    nbrhood_post callbacks_;
};

// Only one collective is decided.
Settings settings_for(const nbrhood_settings &settings, bool cartesian, int collective)
{
    Settings own = settings_of(settings);
    own.cartesian = cartesian;
    own.choice.fill(kDefault);
    own.choice[static_cast<std::size_t>(collective)] = kAuto;
    return own;
}

// Runs a part of a build; false where it cannot go on.
template <typename Part>
bool attempt(const Part &part)
{
    try {
        part();
        return true;
    } catch (...) {
        return false;
    }
}

} // namespace

struct nbrhood_build {
    nbrhood_build(const nbrhood_topology::Later &later, int collective, OwnFacts own,
                  const nbrhood_settings &given, bool keeps_patterns, const nbrhood_post &callbacks)
        : post(callbacks), neighbourhood(later.neighbourhood), place(own.place), ranks(own.ranks),
          settings(settings_for(given, later.cartesian, collective)),
          locality([this](Rank peer) { return post.locality(peer); })
    {
        settings.keep_patterns = keeps_patterns;
        build.emplace(later.neighbourhood, std::move(own), static_cast<Collective>(collective),
                      settings, locality, post, [this] { return post.freeze(); });
    }
    GluePost post;
    const Neighbourhood &neighbourhood;
    Place place;
    Rank ranks;
    Settings settings;
    std::function<Locality(Rank)> locality;
    SentBlocks decided;
    Promise promise = Promise::gain;
    // One of them.
    std::optional<ComponentBuild> build;
    std::optional<Trial> trial;
    std::optional<SizeWatch> watch;
};

bool nbrhood_may_build(const nbrhood_topology *topology, int collective)
{
    if (topology->later == nullptr
        || topology->data.served[static_cast<std::size_t>(collective)].front().reason
               != Reason::few_calls) {
        return false;
    }
    const Neighbourhood &neighbourhood = topology->later->neighbourhood;
    const auto is_other = [&](const EdgeEnd &end) {
        return end.peer != kNoRank && end.peer != neighbourhood.rank;
    };
    return std::any_of(neighbourhood.in.begin(), neighbourhood.in.end(), is_other)
           || std::any_of(neighbourhood.out.begin(), neighbourhood.out.end(), is_other);
}

nbrhood_build *nbrhood_build_create(const nbrhood_topology *topology, int collective,
                                    const nbrhood_own_facts *own, const nbrhood_settings *settings,
                                    const nbrhood_post *post)
{
    nbrhood_build *result = nullptr;
    attempt([&] {
        result = new nbrhood_build(*topology->later, collective,
                                   OwnFacts{place_of(own->place),
                                            own->ranks,
                                            {own->local, own->local + own->local_count},
                                            own->blocks,
                                            own->bytes,
                                            {own->vain.bytes, own->vain.in_doubt},
                                            own->settled},
                                   *settings, own->keeps_patterns, *post);
    });
    return result;
}

void nbrhood_build_destroy(nbrhood_build *build)
{
    delete build;
}

bool nbrhood_build_begin(nbrhood_build *build)
{
    return attempt([&] { build->build->begin(); });
}

bool nbrhood_build_arrived(nbrhood_build *build, int rank, int channel, const int32_t *words,
                           size_t count)
{
    return attempt([&] {
        std::vector<std::int32_t> own(words, words + count);
        if (build->watch) {
            build->watch->arrived(rank, std::move(own));
        } else if (build->trial) {
            build->trial->arrived(rank, std::move(own));
        } else {
            build->build->arrived(rank, static_cast<Channel>(channel), std::move(own));
        }
    });
}

bool nbrhood_build_wants_turn(const nbrhood_build *build)
{
    return build->build && build->build->wants_turn();
}

bool nbrhood_build_take_turn(nbrhood_build *build)
{
    return attempt([&] { build->build->take_turn(); });
}

bool nbrhood_build_ended(const nbrhood_build *build)
{
    if (build->watch) {
        return !build->watch->runs();
    }
    return build->trial ? !build->trial->runs() : build->build->ended();
}

nbrhood_topology *nbrhood_build_take(nbrhood_build *build)
{
    nbrhood_topology *result = nullptr;
    attempt([&] {
        build->promise = build->build->in_doubt() ? Promise::none : Promise::gain;
        auto topology = std::make_unique<nbrhood_topology>();
        topology->data = std::move(build->build->topology());
        const Facts &facts = topology->data.facts;
        build->decided = {static_cast<std::uint64_t>(facts.call_blocks),
                          static_cast<std::uint64_t>(facts.call_bytes)};
        result = topology.release();
    });
    return result;
}

void nbrhood_build_record(const nbrhood_build *build, nbrhood_topology *topology,
                          nbrhood_recording *recording)
{
    record(topology->data, build->neighbourhood, build->place, build->ranks, build->settings,
           *recording);
}

bool nbrhood_build_leads(const nbrhood_build *build)
{
    return build->build->leads();
}

namespace {

// Where they are known.
bool tell(const std::optional<CallCounts> &counts, nbrhood_call_counts *told)
{
    if (counts) {
        *told = nbrhood_call_counts{counts->calls, counts->requests, counts->starts};
    }
    return counts.has_value();
}

} // namespace

bool nbrhood_build_first(const nbrhood_build *build, nbrhood_call_counts *first)
{
    return tell(build->build->first_served(), first);
}

bool nbrhood_build_first_direct(const nbrhood_build *build, nbrhood_call_counts *first)
{
    return tell(build->build->first_direct(), first);
}

bool nbrhood_build_may_gain_later(const nbrhood_build *build)
{
    return build->build->may_gain_later();
}

bool nbrhood_build_in_doubt(const nbrhood_build *build)
{
    return build->promise == Promise::none;
}

nbrhood_vain_build nbrhood_build_vain(const nbrhood_build *build)
{
    const VainBuild vain = build->build->vain();
    return nbrhood_vain_build{vain.bytes, vain.in_doubt};
}

bool nbrhood_trial_is_direct(uint32_t block)
{
    return is_direct_block(block);
}

int nbrhood_heir_after(uint32_t calls, uint32_t limit, uint32_t bequeaths)
{
    return static_cast<int>(heir_after(calls, limit, bequeaths));
}

bool nbrhood_build_prepare_trial(nbrhood_build *build)
{
    return attempt([&] {
        build->trial.emplace(build->build->tree(), build->promise,
                             [build] { return build->post.freeze(); });
        build->build.reset();
    });
}

bool nbrhood_build_try(nbrhood_build *build, const nbrhood_period *calls,
                       const nbrhood_period *starts, size_t count)
{
    return attempt([&] {
        const auto means = [&](const nbrhood_period *periods) -> Periods {
            if (periods == nullptr) {
                return std::nullopt;
            }
            std::vector<Period> all;
            std::transform(periods, periods + count, std::back_inserter(all),
                           [](const nbrhood_period &period) {
                               return Period{period.seconds, period.alone};
                           });
            return mean_periods(all);
        };
        build->trial->begin(Measured{means(calls), means(starts)});
    });
}

nbrhood_verdict nbrhood_build_verdict(const nbrhood_build *build, nbrhood_call_counts *first)
{
    const Verdict &verdict = build->trial->verdict();
    tell(build->trial->settled(), first);
    return nbrhood_verdict{verdict.measured, verdict.decided, verdict.keep, verdict.direct_seconds,
                           verdict.pattern_seconds};
}

bool nbrhood_build_prepare_watch(nbrhood_build *build)
{
    return attempt([&] {
        build->watch.emplace(build->trial ? build->trial->tree() : build->build->tree(),
                             build->decided);
        build->trial.reset();
        build->build.reset();
    });
}

bool nbrhood_build_watch(nbrhood_build *build, int64_t blocks, int64_t bytes)
{
    return attempt([&] {
        build->watch->begin(
            {static_cast<std::uint64_t>(blocks), static_cast<std::uint64_t>(bytes)});
    });
}

bool nbrhood_build_changed(const nbrhood_build *build)
{
    return build->watch->changed();
}
