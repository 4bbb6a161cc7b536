#pragma once

#include <vector>

#include "apps/toys/sentences/meaning.h"
#include "apps/toys/toys.h"

namespace regard::toys::sentences {

/// What a noun is, so that farmers write letters and cows do not. A verb or an adjective goes with a noun
/// when they share a trait.
namespace traits {
constexpr unsigned person = 1u << 0;
constexpr unsigned adult = 1u << 1;
constexpr unsigned child = 1u << 2;
constexpr unsigned profession = 1u << 3;
constexpr unsigned layman = 1u << 4;  ///< no profession yet: "the woman is a doctor"
constexpr unsigned acquaintance = 1u << 5;
constexpr unsigned kin = 1u << 6;         ///< always somebody's
constexpr unsigned unowned = 1u << 7;     ///< never somebody's
constexpr unsigned collective = 1u << 8;  ///< an adjective made a noun: "the poor", definite and plural only
constexpr unsigned animal = 1u << 9;
constexpr unsigned aged = 1u << 10;  ///< grows old as living things do: 늙은
constexpr unsigned thing = 1u << 11;
constexpr unsigned lasting = 1u << 12;  ///< grows old as things do: 오래된
constexpr unsigned painted = 1u << 13;
constexpr unsigned pretty = 1u << 14;
constexpr unsigned weighty = 1u << 15;
constexpr unsigned opening = 1u << 16;
constexpr unsigned text = 1u << 17;
constexpr unsigned handwritten = 1u << 18;
constexpr unsigned goods = 1u << 19;
constexpr unsigned possession = 1u << 20;
constexpr unsigned edible = 1u << 21;
constexpr unsigned drink = 1u << 22;
constexpr unsigned served = 1u << 23;  ///< hot or cold
constexpr unsigned money = 1u << 24;
constexpr unsigned mass = 1u << 25;    ///< has no plural: "some bread"
constexpr unsigned inside = 1u << 26;  ///< a place that one is "in"
constexpr unsigned site = 1u << 27;    ///< a place that one is "at"
constexpr unsigned animate = person | animal;
constexpr unsigned any = ~(inside | site);
}  // namespace traits

/// Sets of determiners.
namespace determiners {
constexpr unsigned definite = 1u << 0;
constexpr unsigned possessive = 1u << 1;
constexpr unsigned demonstrative = 1u << 2;
constexpr unsigned indefinite = 1u << 3;
constexpr unsigned generic = 1u << 4;  ///< none: "likes cats"
constexpr unsigned specific = definite | possessive | demonstrative;
}  // namespace determiners

const std::vector<Noun>& nouns();
const std::vector<Adjective>& adjectives();
const std::vector<Verb>& verbs();
const std::vector<Feeling>& feelings();

/// Marks the language to translate into, as Marian's multilingual models do: the first token of the source.
constexpr const char* to_french = ">>fr<<";
constexpr const char* to_korean = ">>ko<<";

/// Sentences that the grammar makes, and which every training set holds.
const std::vector<SentencePair>& fixed_pairs();

}  // namespace regard::toys::sentences
