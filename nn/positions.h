#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "autograd/ops/attention.h"
#include "nn/module.h"

// Positions of words: what the kinds have in common, and how a model gets them.

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// How a model learns the positions of its inputs. Each kind is a class in a file of its own.
enum class PositionKind {
  sinusoidal,  ///< at the input: sines and cosines (Vaswani et al. 2017, section 3.5)
  learned,     ///< at the input: a parameter for each position (Gehring et al. 2017, section 3.1)
  none,        ///< no positions: self-attention without a mask then cannot tell the order of its inputs
  relative,    ///< in the scores, a learnt key for each distance (Shaw et al. 2018)
  rotary,      ///< queries and keys are turned by their positions (Su et al. 2021)
  alibi        ///< scores fall with the distance (Press et al. 2022)
};

/// How an encoding is combined with its row.
enum class PositionUse {
  added,        ///< x + PE
  concatenated  ///< W [x; PE]: one linear map, without a bias, brings both together back to the width of x
};

/// Where the sines and cosines of a sinusoidal encoding stand. Programs differ here, so a model of another
/// program needs the layout of that program.
enum class SinusoidLayout {
  interleaved,  ///< sine and cosine of pair i in columns 2i and 2i+1 (Vaswani et al. 2017)
  halves,       ///< all sines first, then all cosines (Hugging Face's MarianMT, CTranslate2)
  marian        ///< halves, and i/(d_model/2 - 1) as the exponent of pair i (Marian, fairseq)
};

/// Positions of one kind. A kind overrides the functions of the place where it acts; here they do nothing,
/// which is PositionKind::none. Its parameters have names in the layer that has it.
class Positions : public Module {
 public:
  struct Settings {
    PositionKind kind = PositionKind::sinusoidal;
    PositionUse use = PositionUse::added;
    double base = 10000;                                  ///< sinusoidal, rotary
    SinusoidLayout layout = SinusoidLayout::interleaved;  ///< sinusoidal
    Index most = 1024;                                    ///< learned: number of positions
    Index radius = 16;  ///< relative: the greatest distance; larger ones count as this one
  };

  /// At the input: the encodings PE of these positions, [positions, d_model]. None: the rows stay as they
  /// are.
  virtual Tensor encodings(std::span<const std::int32_t> /*positions*/) { return {}; }
  /// In self-attention: x[rows, width], whose first `columns` are queries and keys, with these turned. The
  /// last row of a sentence in `segments` has the position of its last key.
  virtual Tensor turned(const Tensor& x, Index /*columns*/, const Segments& /*segments*/) { return x; }
  /// In self-attention: gives `options` the terms of the distance that are added to the scores.
  virtual void add_terms(AttentionOptions& /*options*/, const ColumnSlice& /*query*/) const {}
  void visit(Visitor& /*visitor*/) override {}
};

/// The place where a kind acts.
enum class PositionPlace { nowhere, input, attention };
PositionPlace place_of(PositionKind kind);  ///< where this kind acts

/// The positions of a model's input of width d_model, or of a self-attention with these heads. Where their
/// kind does not act, they do nothing.
std::unique_ptr<Positions> make_positions(const Positions::Settings& settings, PositionPlace place,
                                          Index d_model, Index heads, Random& random);
/// Throws Error if heads of width d_k cannot have these positions.
void check(const Positions::Settings& settings, Index d_k);

/// The input of a first layer: combines rows of width d_model with the encodings of their positions.
class PositionalEncoding : public Module {
 public:
  PositionalEncoding(Index d_model, const Positions::Settings& settings, Random& random);

  /// x[rows, d_model], one position for each row. Throws Error for a position that was not learnt.
  Tensor operator()(const Tensor& x, std::span<const std::int32_t> positions);
  void visit(Visitor& visitor) override;

  Tensor projection;  ///< concatenated: W, [d_model, 2 d_model]

 private:
  std::unique_ptr<Positions> positions_;
};

}}}  // namespace regard::REGARD_PRECISION::nn
