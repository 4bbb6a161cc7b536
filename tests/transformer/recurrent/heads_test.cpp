// The list of a recurrent model's attentions, and one that is switched off.
#include "tests/transformer/heads.h"

#include "tests/catch.h"
#include "tests/transformer/recurrent/support.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("a recurrent model has one attention or none") {
  EncoderDecoder bahdanau = make_recurrent_model(small_recurrent("bahdanau2015"), 1);
  CHECK(names_of(bahdanau) == std::vector<std::string>{"decoder.attention"});
  CHECK(attention_layers(bahdanau).front().kind == AttentionKind::source);
  EncoderDecoder cho = make_recurrent_model(small_recurrent("cho2014"), 1);
  CHECK(names_of(cho).empty());
}

TEST_CASE("a recurrent attention that is off gives a context of zeros") {
  const Batch batch = make_batch(random_sentences({3, 5}, 11, 1), random_sentences({4, 2}, 11, 2));
  EncoderDecoder whole = make_recurrent_model(small_recurrent("bahdanau2015"), 3);
  EncoderDecoder zeroed = make_recurrent_model(small_recurrent("bahdanau2015"), 3);
  whole.eval();
  zeroed.eval();
  // The context is columns 6 .. 12 of both inputs: after y in the cell's, after s in the output's.
  clear_columns(parameter_of(zeroed, "decoder.rnn.weight_ih_l0"), 6, 12);
  clear_columns(parameter_of(zeroed, "decoder.output.weight"), 6, 12);
  const nn::HeadsOff off(whole, {{"decoder.attention", 0}});
  CHECK(error(whole.logits(batch), zeroed.logits(batch)) < 1e-12);
}
