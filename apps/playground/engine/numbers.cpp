// The numbers behind one attention weight, and behind one row of the input of a first layer.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/explore/replies.h"
#include "apps/playground/engine/engine.h"
#include "apps/translation/files/json_fields.h"
#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "nn/general_attention/attention.h"
#include "transformer/attention_layers.h"

namespace regard::playground {

namespace {

using transformer::AttentionKind, transformer::AttentionLayer, translation::Fields;
using Numbers = std::vector<double>;

/// Takes an index out of a request.
Index taken(Json& request, const char* name) {
  Index value = 0;
  Fields(request, "the request").need(name, value, translation::whole(0));
  request.erase(name);
  return value;
}

void check_index(const char* name, Index index, Index count) {
  if (index >= count) fail("there is no {} {}; there are {}, from 0", name, index, count);
}

/// A source and the translation that is given to the model, as a batch.
transformer::Batch batch_of(explore::TranslateRequest request) {
  if (!request.prefix.empty() && request.prefix.back() == translation::special::end)
    request.prefix.pop_back();
  transformer::Batch batch;
  batch.append(request.source, request.prefix);
  return batch;
}

/// A head's part of a row.
Numbers part_of(const ColumnSlice& slice, Index row, Index head, Index width) {
  const Real* const begin = slice.matrix.data() + row * slice.matrix.size(1) + slice.first + head * width;
  return {begin, begin + width};
}

/// scale q . k of one query with all keys of a head (Vaswani et al. 2017, eq. 1), and all about one of them.
void add_dot_products(Json& reply, const nn::AttentionInputs& inputs, Index head, Index query, Index key,
                      Index d_k, double scale) {
  const Numbers q = part_of(inputs.query, query, head, d_k);
  reply.update({{"score", "dot"}, {"d_k", d_k}, {"scale", scale}, {"query", q}});
  for (Index j = 0; j < inputs.key.matrix.size(0); ++j) {
    const Numbers k = part_of(inputs.key, j, head, d_k);
    Numbers products;
    double dot = 0;
    for (std::size_t i = 0; i < q.size(); ++i) dot += products.emplace_back(q[i] * k[i]);
    reply["scores"].push_back(scale * dot);
    if (j == key) reply.update({{"key", k}, {"products", products}, {"dot", dot}});
  }
}

/// v . tanh(W s + U h) of one query with all keys (Bahdanau et al. 2015, appendix A.1.2).
void add_additive(Json& reply, const nn::AttentionInputs& inputs, const nn::Attention& attention,
                  Index query) {
  const Tensor& keys = inputs.key.matrix;
  const Tensor state = slice(inputs.query.matrix, 0, query, query + 1);
  const Tensor scores = (*attention.score)(state, keys, all_keys({{0, 1, 0, keys.size(0)}}));
  reply.update({{"score", "additive"}, {"scores", scores.values()}});
}

/// What turns tokens into the rows of a first layer.
struct InputOf : nn::Visitor {
  nn::Embedding* embedding = nullptr;
  nn::PositionalEncoding* positions = nullptr;  ///< of a Transformer

  template <class Side>
  explicit InputOf(Side& side) {
    side.visit_embedding(*this);
    side.visit(*this);
  }
  void module(const std::string&, nn::Module& inner) override {
    if (auto* const found = dynamic_cast<nn::Embedding*>(&inner)) embedding = found;
    if (auto* const found = dynamic_cast<nn::PositionalEncoding*>(&inner)) positions = found;
  }
};

}  // namespace

Json Engine::number(const Json& request) {
  Json rest = request;
  const Index head = taken(rest, "head"), query = taken(rest, "query"), key = taken(rest, "key");
  const std::string name = request.value("attention", "");
  rest.erase("attention");
  const explore::TranslateRequest parsed = explore::parse_request(model_, rest);
  const transformer::Batch batch = batch_of(parsed);
  const nn::HeadsOff heads_off(model_.model, parsed.heads_off);
  const NoGrad no_grad;
  model_.model.eval();
  nn::AttentionRecord record;
  model_.model.hidden(batch);

  const std::vector<AttentionLayer> layers = attention_layers(model_.model);
  const auto layer =
      std::find_if(layers.begin(), layers.end(), [&](const auto& each) { return each.name == name; });
  if (layer == layers.end()) fail("this model has no attention \"{}\"", name);
  const Tensor& weights = record.weights.at(layer->attention).front();
  const Index heads = weights.size(0), queries = weights.size(1), keys = weights.size(2);
  check_index("head", head, heads);
  check_index("query", query, queries);
  check_index("key", key, keys);
  const Numbers row = part_of(weights.view({heads * queries, keys}), head * queries + query, 0, keys);

  const translation::Vocabulary &source = model_.vocabularies.source, &target = model_.vocabularies.target;
  const auto at = [](const auto& ids, Index i) { return ids[to_size(i)]; };
  const bool of_target = layer->kind == AttentionKind::decoder;
  Json reply{
      {"query_token", layer->kind == AttentionKind::encoder ? source.token(at(batch.source.ids, query))
                                                            : target.token(at(batch.target_output, query))},
      {"key_token",
       of_target ? target.token(at(batch.target_input.ids, key)) : source.token(at(batch.source.ids, key))},
      {"weights", row}};
  const nn::AttentionInputs& inputs = *record.inputs.at(layer->attention);
  if (const auto* const general = dynamic_cast<const nn::Attention*>(layer->attention)) {
    add_additive(reply, inputs, *general, query);
  } else {
    const Index d_k = inputs.query.width / heads;
    add_dot_products(reply, inputs, head, query, key, d_k,
                     choices_.scale_scores ? 1 / std::sqrt(static_cast<double>(d_k)) : 1);
  }
  const Index width = inputs.value.width / heads;
  Numbers output(to_size(width));
  for (Index j = 0; j < keys; ++j) {
    const Numbers value = part_of(inputs.value, j, head, width);
    for (std::size_t i = 0; i < output.size(); ++i) output[i] += row[to_size(j)] * value[i];
    reply["values"].push_back(value);
    reply["allowed"].push_back(!of_target || j <= query);
  }
  reply["output"] = output;
  return reply;
}

Json Engine::token(const Json& request) {
  Json rest = request;
  const Index position = taken(rest, "position");
  std::string side;
  Fields(request, "the request").need("side", side, translation::one_of({"source", "target"}));
  rest.erase("side");
  const transformer::Batch batch = batch_of(explore::parse_request(model_, rest));
  const bool of_source = side == "source";
  const transformer::PackedSequences& tokens = of_source ? batch.source : batch.target_input;
  check_index("token", position, tokens.tokens());

  const NoGrad no_grad;
  const std::int32_t id = tokens.ids[to_size(position)];
  const InputOf input = of_source ? InputOf(model_.model.encoder()) : InputOf(model_.model.decoder());
  const Tensor row = (*input.embedding)({{id}});
  Numbers sum(row.values().begin(), row.values().end());
  Json position_vector;
  if (input.positions &&
      place_of(training_.settings.model.config.positions.kind) == nn::PositionPlace::input) {
    const auto at = static_cast<std::int32_t>(position);
    position_vector = (*input.positions)(Tensor::zeros(row.shape()), {{at}}).values();
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += position_vector[i].get<double>();
  }
  return {{"token", (of_source ? model_.vocabularies.source : model_.vocabularies.target).token(id)},
          {"id", id},
          {"scale", input.embedding->scaled ? std::sqrt(static_cast<double>(choices_.d_model)) : 1.0},
          {"embedding", row.values()},
          {"position_vector", position_vector},
          {"sum", sum}};
}

}  // namespace regard::playground
