#include "apps/bench/step_products.h"

#include "transformer/recurrent/recurrent_config.h"
#include "transformer/self_attention/transformer_config.h"

namespace regard::bench {

namespace {

using Products = std::vector<Product>;
using transformer::Config;
using transformer::RecurrentConfig;

/// The map that brings a concatenated position back to the width of the model.
Products positions(const Config& c, Index tokens) {
  if (c.positions.use != nn::PositionUse::concatenated || c.positions.kind == nn::PositionKind::none)
    return {};
  return {{tokens, c.d_model, 2 * c.d_model, 1}};
}

Products transformer_encoder(const Config& c, Index source) {
  const Index d = c.d_model, layers = c.encoder_layers;
  return {
      {source, 3 * d, d, layers},   // queries, keys and values
      {source, d, d, layers},       // output of attention
      {source, c.d_ff, d, layers},  // feed-forward
      {source, d, c.d_ff, layers},
  };
}

/// The patches of all layers, and the map from the last channels to the memory. `pixels` become the positions
/// of the memory.
Products convolutional_encoder(const transformer::ImageConfig& image, Index width, Index& pixels) {
  Products products;
  Index in = 3;
  for (std::size_t i = 0; i < image.channels.size(); ++i) {
    pixels /= image.strides[i] * image.strides[i];
    products.push_back({pixels, image.channels[i], image.window * image.window * in, 1, i == 0});
    in = image.channels[i];
  }
  products.push_back({pixels, width, in, 1});
  return products;
}

/// The map of the patches. `pixels` become the positions of the memory.
Products patches(const transformer::ImageConfig& image, Index width, Index& pixels) {
  const Index pixels_of_patch = image.patch_size * image.patch_size;
  pixels /= pixels_of_patch;
  return {{pixels, width, 3 * pixels_of_patch, 1, true}};
}

Products transformer_decoder(const Config& c, const BatchSize& batch) {
  const Index d = c.d_model, layers = c.decoder_layers;
  return {
      {batch.target_tokens, 3 * d, d, layers},   // queries, keys and values
      {batch.target_tokens, d, d, 3 * layers},   // both outputs, queries to the memory
      {batch.source_tokens, 2 * d, d, layers},   // keys and values of the memory
      {batch.target_tokens, c.d_ff, d, layers},  // feed-forward
      {batch.target_tokens, d, c.d_ff, layers},
  };
}

/// The number of gates of a cell.
Index gates(nn::Cell cell) { return nn::shape_of(cell).gates; }
/// The number of vectors that a cell hands to the next step: h, or h and c.
Index states(nn::Cell cell) { return nn::shape_of(cell).states; }

/// gates = x W_ih^T and h W_hh^T, once per direction. A layer above the first reads both directions.
Products recurrent_layers(nn::Cell cell, Index tokens, Index in, Index hidden, Index layers,
                          Index directions) {
  const Index out = gates(cell) * hidden;
  Products products{{tokens, out, in, directions}, {tokens, out, hidden, directions * layers}};
  if (layers > 1) products.push_back({tokens, out, directions * hidden, directions * (layers - 1)});
  return products;
}

Products recurrent_encoder(const RecurrentConfig& c, Index source) {
  return recurrent_layers(c.cell, source, c.d_model, c.width_per_direction(), c.encoder_layers,
                          c.directions());
}

/// The weights of the score (nn/score.h) and of the window (nn/attention.h). m is the width of the memory.
Products attention(const RecurrentConfig& c, const BatchSize& batch, Index m) {
  const Index d = c.d_model, source = batch.source_tokens, target = batch.target_tokens;
  Products products;
  switch (c.attention.score) {
    case nn::ScoreKind::dot:
    case nn::ScoreKind::scaled_dot:
      break;
    case nn::ScoreKind::general:
      products = {{target, m, d, 1}};
      break;
    case nn::ScoreKind::additive: {
      const Index width = c.attention.width > 0 ? c.attention.width : d;
      products = {{target, width, d, 1}, {source, width, m, 1}};  // W s and U h
      break;
    }
    case nn::ScoreKind::linear_concat:
      products = {{target, 1, d, 1}, {source, 1, m, 1}};
      break;
    case nn::ScoreKind::location:
      products = {{target, c.attention.positions, d, 1}};
      break;
    case nn::ScoreKind::cosine:
      products = {{target, 1, d, 1}};
      break;
  }
  if (c.attention.window == nn::AttentionWindow::local_p) {
    products.push_back({target, d, d, 1});
    products.push_back({target, 1, d, 1});
  }
  return products;
}

/// The rows and last states that an encoder leaves for a recurrent decoder: their widths, and the number of
/// states.
struct Left {
  Index memory_width, state_width, states;
};

Products recurrent_decoder(const RecurrentConfig& c, const BatchSize& batch, const Left& left) {
  const Index d = c.d_model, m = left.memory_width, target = batch.target_tokens;
  const auto& a = c.attention;
  const bool looks = a.kind != transformer::RecurrentAttentionKind::none;
  const Index in = d + (a.context_enters_cell() ? m : 0) + (a.input_feeding ? d : 0);
  Products products = recurrent_layers(c.cell, target, in, d, c.decoder_layers, 1);
  if (looks)
    for (const Product& product : attention(c, batch, m)) products.push_back(product);
  if (looks || a.fixed_context)  // W_o [s; c] or W_o [s; c; y]
    products.push_back({target, d, d + m + (a.context_enters_cell() ? d : 0), 1});
  // The first states are the encoder's last ones if these fit; otherwise a layer makes each from the
  // encoder's last state in one direction, or from the mean of the memory.
  const Index first_states = c.decoder_layers * states(c.cell);
  const bool fit = left.states == first_states && left.state_width == d && !c.bidirectional;
  if (!fit)
    products.push_back(
        {batch.sentences, d, left.states == 0 ? m : left.state_width / c.directions(), first_states});
  return products;
}

}  // namespace

Products step_products(const translation::ModelSettings& model, const BatchSize& batch_size) {
  using translation::EncoderKind;
  const Config& c = model.config;
  const RecurrentConfig recurrent = recurrent_config(model);
  Products products;
  const auto add = [&](const Products& more) { products.insert(products.end(), more.begin(), more.end()); };
  Left left{.memory_width = c.d_model, .state_width = 0, .states = 0};
  BatchSize batch = batch_size;
  if (model.reads_images()) batch.source_tokens -= 3 * batch.sentences;  // height, width and </s>
  switch (model.encoder) {
    case EncoderKind::recurrent:
      add(recurrent_encoder(recurrent, batch.source_tokens));
      left.memory_width = left.state_width = recurrent.directions() * recurrent.width_per_direction();
      left.states = c.encoder_layers * states(recurrent.cell);
      break;
    case EncoderKind::transformer:
      add(positions(c, batch.source_tokens));
      add(transformer_encoder(c, batch.source_tokens));
      break;
    case EncoderKind::convolutional:
      add(convolutional_encoder(model.image, c.d_model, batch.source_tokens));
      break;
    case EncoderKind::patches:
      add(patches(model.image, c.d_model, batch.source_tokens));
      add(transformer_encoder(c, batch.source_tokens));
      break;
  }
  if (model.decoder == translation::DecoderKind::recurrent) {
    add(recurrent_decoder(recurrent, batch, left));
  } else {
    add(positions(c, batch.target_tokens));
    add(transformer_decoder(c, batch));
  }
  add({{batch.target_tokens, c.target_vocabulary, c.d_model, 1}});  // projection to the vocabulary
  return products;
}

}  // namespace regard::bench
