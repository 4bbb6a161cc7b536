// The numbers behind one attention weight, and behind one row of a first layer's input.
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "apps/explore/replies.h"
#include "apps/playground/engine/engine.h"
#include "apps/translation/files/json_fields.h"
#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "nn/general_attention/attention.h"
#include "transformer/attention_layers.h"
#include "transformer/recurrent/recurrent_decoder.h"
#include "transformer/recurrent/recurrent_encoder.h"
#include "transformer/self_attention/transformer.h"

namespace regard::playground {

namespace {

using transformer::AttentionKind;
using transformer::AttentionLayer;
using translation::Fields;
using Numbers = std::vector<double>;

/// A head's part of a row.
Numbers part_of_row(const ColumnSlice& slice, Index row, Index head, Index width) {
  const Real* const begin = slice.matrix.data() + row * slice.matrix.size(1) + slice.first + head * width;
  return {begin, begin + width};
}

/// A source and the tokens that are its translation so far, as the model runs over them.
struct Pair {
  transformer::Batch batch;
  std::vector<std::string> source, read,
      written;  ///< read: the decoder's input; written: what it predicts there

  Pair(const translation::TranslationModel& model, const explore::TranslateRequest& request) {
    transformer::Prefix target = request.prefix;
    if (!target.empty() && target.back() == translation::special::end) target.pop_back();
    batch.append(request.source, target);
    source = model.vocabularies.source.tokens(batch.source.ids);
    read = model.vocabularies.target.tokens(batch.target_input.ids);
    written = model.vocabularies.target.tokens(batch.target_output);
  }
};

/// softmax(scale q . k) of one query over the keys of a head, and the sum of the values under it (Vaswani et
/// al. 2017, eq. 1).
void add_dot_products(Json& reply, const nn::AttentionInputs& inputs, const Json& at, Index heads,
                      bool scaled) {
  const Index head = at["head"], d_k = inputs.query.width / heads;
  const double scale = scaled ? 1 / std::sqrt(static_cast<double>(d_k)) : 1;
  const Numbers q = part_of_row(inputs.query, at["query"], head, d_k);
  Json scores = Json::array();
  for (Index j = 0; j < inputs.key.matrix.size(0); ++j) {
    const Numbers k = part_of_row(inputs.key, j, head, d_k);
    Numbers products;
    double dot = 0;
    for (std::size_t i = 0; i < q.size(); ++i) dot += products.emplace_back(q[i] * k[i]);
    scores.push_back(scale * dot);
    if (j == at["key"]) reply.update({{"key", k}, {"products", products}, {"dot", dot}});
  }
  reply.update({{"score", "dot"}, {"d_k", d_k}, {"query", q}, {"scale", scale}, {"scores", scores}});
}

/// v . tanh(W s + U h) of one query with all keys (Bahdanau et al. 2015, appendix A.1.2).
void add_additive(Json& reply, const nn::AttentionInputs& inputs, const nn::Attention& attention,
                  Index query) {
  const Tensor state = slice(inputs.query.matrix, 0, query, query + 1);
  const Tensor scores =
      (*attention.score)(state, inputs.key.matrix, all_keys({{0, 1, 0, inputs.key.matrix.size(0)}}));
  reply.update({{"score", "additive"}, {"scores", scores.values()}});
}

const AttentionLayer& layer_of(const std::vector<AttentionLayer>& layers, const std::string& name) {
  for (const AttentionLayer& layer : layers)
    if (layer.name == name) return layer;
  fail("this model has no attention \"{}\"", name);
}

/// Throws Error unless the index is that of one of `count` things.
void check_index(const Json& at, const char* name, Index count) {
  if (at[name] >= count) fail("there is no {} {}; there are {}, from 0", name, at[name].get<Index>(), count);
}

}  // namespace

Json Engine::number(const Json& request) {
  Json rest = request, at;
  for (const char* const name : {"head", "query", "key"}) {
    Index value = 0;
    Fields(request, "the request").need(name, value, translation::whole(0));
    at[name] = value;
    rest.erase(name);
  }
  const std::string name = request.value("attention", "");
  rest.erase("attention");
  const explore::TranslateRequest parsed = explore::parse_request(model_, rest);
  const Pair pair(model_, parsed);
  const nn::HeadsOff heads_off(model_.model, parsed.heads_off);
  const NoGrad no_grad;
  model_.model.eval();
  nn::AttentionRecord record;
  model_.model.hidden(pair.batch);

  const std::vector<AttentionLayer> layers = attention_layers(model_.model);
  const AttentionLayer& layer = layer_of(layers, name);
  const Tensor& weights = record.weights.at(layer.attention).front();  // [heads, queries, keys]
  check_index(at, "head", weights.size(0));
  check_index(at, "query", weights.size(1));
  check_index(at, "key", weights.size(2));
  const nn::AttentionInputs& inputs = *record.inputs.at(layer.attention);
  const Index head = at["head"], query = at["query"], key = at["key"];
  const Real* const begin = weights.data() + (head * weights.size(1) + query) * weights.size(2);
  const Numbers row(begin, begin + weights.size(2));

  const bool of_source = layer.kind == AttentionKind::encoder;
  Json reply{{"query_token", (of_source ? pair.source : pair.written)[to_size(query)]},
             {"key_token", (layer.kind == AttentionKind::decoder ? pair.read : pair.source)[to_size(key)]},
             {"weights", row}};
  const auto* const general = dynamic_cast<const nn::Attention*>(layer.attention);
  if (general != nullptr)
    add_additive(reply, inputs, *general, query);
  else
    add_dot_products(reply, inputs, at, weights.size(0), choices_.scale_scores);
  const Index width = inputs.value.width / weights.size(0);
  Numbers output(to_size(width));
  for (Index j = 0; j < weights.size(2); ++j) {
    const Numbers value = part_of_row(inputs.value, j, head, width);
    for (std::size_t i = 0; i < output.size(); ++i) output[i] += row[to_size(j)] * value[i];
    reply["values"].push_back(value);
    reply["allowed"].push_back(layer.kind != AttentionKind::decoder || j <= query);
  }
  reply["output"] = output;
  return reply;
}

Json Engine::token(const Json& request) {
  Json rest = request;
  Fields fields(request, "the request");
  std::string side = "source";
  Index position = 0;
  fields.take("side", side, translation::one_of({"source", "target"}));
  fields.need("position", position, translation::whole(0));
  rest.erase("side");
  rest.erase("position");
  const Pair pair(model_, explore::parse_request(model_, rest));
  const bool of_source = side == "source";
  const transformer::PackedSequences& tokens = of_source ? pair.batch.source : pair.batch.target_input;
  if (position >= tokens.tokens())
    fail("there is no token {}; there are {}, from 0", position, tokens.tokens());

  const NoGrad no_grad;
  const std::int32_t id = tokens.ids[to_size(position)];
  nn::Embedding* embedding = nullptr;
  Json position_vector;
  const auto read = [&](transformer::PositionedEmbedding& input) {
    embedding = &input.embedding;
    if (place_of(training_.settings.model.config.positions.kind) != nn::PositionPlace::input) return;
    const Tensor zeros = Tensor::zeros({1, choices_.d_model});
    position_vector = input.positional_encoding(zeros, {{static_cast<std::int32_t>(position)}}).values();
  };
  transformer::Encoder& encoder = model_.model.encoder();
  transformer::Decoder& decoder = model_.model.decoder();
  if (auto* const of_transformer = dynamic_cast<transformer::TransformerEncoder*>(&encoder);
      of_transformer && of_source)
    read(of_transformer->input);
  else if (auto* const writer = dynamic_cast<transformer::TransformerDecoder*>(&decoder);
           writer && !of_source)
    read(writer->input);
  else
    embedding = of_source ? &dynamic_cast<transformer::RecurrentEncoder&>(encoder).embedding
                          : &dynamic_cast<transformer::RecurrentDecoder&>(decoder).embedding;
  const Tensor row = (*embedding)({{id}});
  Numbers sum(row.values().begin(), row.values().end());
  for (std::size_t i = 0; i < position_vector.size(); ++i) sum[i] += position_vector[i].get<double>();
  return {{"token", (of_source ? pair.source : pair.read)[to_size(position)]},
          {"id", id},
          {"scale", embedding->scaled ? std::sqrt(static_cast<double>(choices_.d_model)) : 1.0},
          {"embedding", row.values()},
          {"position_vector", position_vector},
          {"sum", sum}};
}

}  // namespace regard::playground
