#pragma once

#include <cstdint>
#include <span>

#include "autograd/kernels/planes.h"
#include "autograd/machine/real.h"
#include "autograd/tensor.h"
#include "nn/module.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// Where the sines and cosines of a sinusoidal encoding stand. Programs differ here, so a model of another
/// program needs the layout of that program.
enum class SinusoidLayout {
  interleaved,  ///< sine and cosine of pair i in columns 2i and 2i+1 (Vaswani et al. 2017)
  halves,       ///< all sines first, then all cosines (Hugging Face's MarianMT, CTranslate2)
  marian        ///< halves, and i/(d_model/2 - 1) as the exponent of pair i (Marian, fairseq)
};

/// Adds to each row of x the encoding of its position (Vaswani et al. 2017, section 3.5):
///   PE(pos, 2i) = sin(pos / base^(2i/d_model)),  PE(pos, 2i+1) = cos(pos / base^(2i/d_model)),
/// or with the columns in another order (SinusoidLayout). Every position from 0 on has an encoding; nothing
/// is learnt. The paper's base is 10000.
class SinusoidalPositionalEncoding {
 public:
  explicit SinusoidalPositionalEncoding(Index d_model, double base = 10000,
                                        SinusoidLayout layout = SinusoidLayout::interleaved)
      : d_model_(d_model), base_(base), layout_(layout) {}

  /// x[rows, d_model], one position for each row.
  Tensor operator()(const Tensor& x, std::span<const std::int32_t> positions);
  /// The encodings alone, [positions, d_model].
  Tensor of(std::span<const std::int32_t> positions);
  /// The encodings of positions 0, 1, …, `last`, and perhaps of more. Threads may call it at the same time.
  Tensor table(Index last);

 private:
  Index d_model_;
  double base_;
  SinusoidLayout layout_;
  Tensor table_;  ///< the encodings of positions 0, 1, …, up to the greatest that was needed
};

/// Adds to each pixel of a plane the encoding of its place. The first half of the columns encodes the row of
/// the pixel, the second half its column, each as above (as in Carion et al. 2020, appendix A.4).
class PlanePositionalEncoding {
 public:
  explicit PlanePositionalEncoding(Index width, double base = 10000)
      : rows_(width / 2, base), columns_(width - width / 2, base) {}

  /// x[pixels, width] of these planes.
  Tensor operator()(const Tensor& x, const Planes& planes);

 private:
  SinusoidalPositionalEncoding rows_, columns_;
};

/// How a Transformer learns the positions of its inputs. The first two kinds change the rows before the first
/// layer. The last three are in every self-attention (nn/multi_head_attention.h) and change no row.
enum class PositionKind {
  sinusoidal,  ///< SinusoidalPositionalEncoding
  learned,     ///< a parameter for each position (Gehring et al. 2017, section 3.1)
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

/// The part of any of these kinds that changes rows of width d_model.
class PositionalEncoding : public Module {
 public:
  struct Settings {
    PositionKind kind = PositionKind::sinusoidal;
    PositionUse use = PositionUse::added;
    double base = 10000;                                  ///< sinusoidal, rotary
    SinusoidLayout layout = SinusoidLayout::interleaved;  ///< sinusoidal
    Index most = 1024;                                    ///< learned: number of positions
    Index radius = 16;  ///< relative: the greatest distance; larger ones count as this one
  };
  PositionalEncoding(Index d_model, const Settings& settings, Random& random);

  /// x[rows, d_model], one position for each row. Throws Error for a position that was not learnt.
  Tensor operator()(const Tensor& x, std::span<const std::int32_t> positions);
  void visit(Visitor& visitor) override;

  Tensor weight;      ///< learned: [most, d_model]
  Tensor projection;  ///< concatenated: W, [d_model, 2 d_model]

 private:
  Tensor learned(std::span<const std::int32_t> positions) const;

  Settings settings_;
  SinusoidalPositionalEncoding sinusoidal_;
};

}}}  // namespace regard::REGARD_PRECISION::nn
