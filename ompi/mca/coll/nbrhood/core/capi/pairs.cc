// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Surveys of pairs for the glue.
#include "capi/nbrhood_pairs.h"

#include <limits>

#include "build/pair_survey.h"
#include "build/switch.h"

using namespace nbrhood;

namespace nbrhood {

class PairsPost final : public Post {
public:
    explicit PairsPost(const nbrhood_pairs_host &host) : host_(host) {}

    void send(Rank peer, Channel channel, std::vector<std::int32_t> words) override
    {
        host_.send(host_.context, peer, static_cast<int>(channel), words.data(), words.size());
    }
    void expect(Rank peer, Channel channel) override
    {
        host_.expect(host_.context, peer, static_cast<int>(channel));
    }
    std::uint32_t calls() const { return host_.calls(host_.context); }

private:
    nbrhood_pairs_host host_;
};

} // namespace nbrhood

struct nbrhood_pair_survey {
    nbrhood_pair_survey(Rank rank, Rank ranks, const SparseTerms &terms,
                        const nbrhood_pairs_host &host, nbrhood_pairs_view &shown)
        : post(host), survey(rank, ranks, terms, post, [this] { return propose(); }), view(&shown)
    {
        *view = {};
        view->limit = view->first = kNoNumber;
    }

    std::uint32_t propose()
    {
        const std::uint32_t calls = post.calls();
        view->limit = calls_ahead(calls, began);
        return view->limit;
    }
    void show() const
    {
        const PairFacts &all = survey.all();
        view->sparse = survey.sparse().value_or(false);
        view->pairs = all.pairs;
        view->largest = all.largest;
        view->messages = all.messages;
        view->bytes = all.bytes;
        if (survey.first()) {
            view->first = *survey.first();
            view->limit = kNoNumber;
        }
        view->decided = survey.sparse().has_value() && !survey.runs();
    }

    PairsPost post;
    PairSurvey survey;
    SeenPairs seen;
    std::uint32_t began = 0; // calls when it began
    nbrhood_pairs_view *view;
};

namespace {

// Runs a part of the survey; false where it cannot go on.
template <typename Part>
bool attempt(const nbrhood_pair_survey *survey, const Part &part)
{
    try {
        part();
        survey->show();
        return true;
    } catch (...) {
        return false;
    }
}

} // namespace

nbrhood_pair_survey *nbrhood_pair_survey_create(int rank, int ranks, unsigned percent,
                                                uint64_t bytes, const nbrhood_pairs_host *host,
                                                nbrhood_pairs_view *view)
{
    try {
        return new nbrhood_pair_survey(rank, ranks, {percent, bytes}, *host, *view);
    } catch (...) {
        return nullptr;
    }
}

void nbrhood_pair_survey_destroy(nbrhood_pair_survey *survey)
{
    delete survey;
}

bool nbrhood_pair_survey_note(nbrhood_pair_survey *survey, const int *to, size_t to_count,
                              const int *from, size_t from_count, uint64_t bytes)
{
    return attempt(survey, [&] {
        survey->seen.add({to, to + to_count}, {from, from + from_count}, bytes);
    });
}

bool nbrhood_pair_survey_begin(nbrhood_pair_survey *survey, uint32_t parameters)
{
    return attempt(survey, [&] {
        survey->began = survey->post.calls();
        survey->survey.begin(PairFacts(survey->seen, parameters));
    });
}

bool nbrhood_pair_survey_arrived(nbrhood_pair_survey *survey, int rank, const int32_t *words,
                                 size_t count)
{
    return attempt(survey, [&] { survey->survey.arrived(rank, {words, words + count}); });
}

bool nbrhood_pair_survey_runs(const nbrhood_pair_survey *survey)
{
    return survey->survey.runs();
}
