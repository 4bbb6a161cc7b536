#pragma once

#include <concepts>
#include <vector>

#include "autograd/machine/real.h"
#include "nn/module.h"

// Adam and SGD, schedules of the learning rate, moving averages; how to write an optimiser.

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// The size of a parameter with the gap behind it. Each parameter begins on a cache line of its own, at a
/// multiple of 16 numbers; the gaps stay 0.
inline Index padded(Index size) { return round_up(size, 16); }

/// Parameters side by side in one buffer, and their gradients side by side in another, so that clipping and
/// updating are one loop each. Handles to the parameters stay valid.
class FlatParameters {
 public:
  explicit FlatParameters(const std::vector<NamedParameter>& parameters);  ///< each once; Error for none

  const Tensor& values() const { return values_; }        ///< all parameters, with the gaps
  const Tensor& gradients() const { return gradients_; }  ///< at the same places as the values
  Index size() const { return values_.size(); }           ///< numbers in each buffer, with the gaps

  /// Throws Error that names a parameter if it has been moved since, into the buffers of another
  /// FlatParameters. Then only the optimiser of that one changes it.
  void check_in_place() const;

  /// Euclidean norm of all gradients, summed in an order that does not depend on the number of threads.
  double gradient_norm() const;

 private:
  std::vector<NamedParameter> parameters_;
  Tensor values_, gradients_;
};

struct UpdateOptions {
  double learning_rate;
  /// Gradients with a larger norm are scaled down to this norm (Pascanu et al. 2013); 0: never.
  double clip_norm = 0;
};

/// Updates parameters from their gradients, then sets the gradients to zero. It moves the parameters into its
/// own buffers (FlatParameters). If two optimisers have the same parameter, only the one made last may step.
class Optimiser {
 public:
  explicit Optimiser(const std::vector<NamedParameter>& parameters) : parameters_(parameters) {}
  virtual ~Optimiser() = default;
  /// Returns the norm of the gradients before clipping. If it is not finite, nothing is changed. Throws Error
  /// if another optimiser has taken a parameter over.
  double step(const UpdateOptions& options);
  /// A step with this learning rate, without clipping.
  double step(std::floating_point auto learning_rate) { return step({.learning_rate = learning_rate}); }
  /// Sets all gradients to zero without an update, for instance after an error. Throws Error as step() does.
  void zero_grad();

  /// The tensors, by PyTorch's names, that the next update depends on besides parameters and gradients. To go
  /// on later with the same bits, save these and the number of steps, copy them back, and call set_steps.
  virtual std::vector<NamedParameter> state() const = 0;
  /// The gradients of all parameters, side by side in one buffer.
  const Tensor& gradients() const { return parameters_.gradients(); }
  /// Updates so far.
  Index steps() const { return steps_; }
  void set_steps(Index steps) { steps_ = steps; }  ///< for an optimiser that goes on from a saved state()

 protected:
  /// One update of all values from the gradients times `gradient_scale`. It leaves the gradients at zero.
  virtual void update(double learning_rate, double gradient_scale) = 0;
  FlatParameters parameters_;
  Index steps_ = 0;
};

/// Means of gradients and of their squares, of the same size as the values. Both are 0 before the first step.
struct AdamMoments {
  Tensor first, second;
};

/// Adam (Kingma and Ba 2015), with the constants of Vaswani et al. 2017, section 5.3. With a weight decay it
/// is AdamW (Loshchilov and Hutter 2019): each update first multiplies the parameters by 1 - learning_rate *
/// weight_decay, and the moments know nothing of it. `decayed_dimensions` says which parameters it is for.
class Adam : public Optimiser {
 public:
  struct Settings {
    double beta1 = 0.9;
    double beta2 = 0.98;
    double epsilon = 1e-9;
    double weight_decay = 0;
    /// Parameters of fewer dimensions do not decay. 2 leaves out biases, and the gains of norms.
    Index decayed_dimensions = 0;
  };
  explicit Adam(const std::vector<NamedParameter>& parameters) : Adam(parameters, Settings{}) {}
  Adam(const std::vector<NamedParameter>& parameters, const Settings& settings);
  std::vector<NamedParameter> state() const override;

 private:
  void update(double learning_rate, double gradient_scale) override;
  /// Numbers side by side that all decay, or all do not.
  struct Run {
    Index begin, end;
    bool decays;
  };
  Settings settings_;
  AdamMoments moments_;
  std::vector<Run> runs_;
};

/// Update `step`, from 1, of one tensor as in Adam. Zeroes the gradients. Throws Error if a shape differs.
void adam_update(const Tensor& values, const Tensor& gradients, const AdamMoments& moments, Index step,
                 double learning_rate, const Adam::Settings& settings, double gradient_scale = 1);

/// Stochastic gradient descent with momentum as PyTorch defines it:
///   v = momentum v + g,  x -= learning_rate v.
class Sgd : public Optimiser {
 public:
  explicit Sgd(const std::vector<NamedParameter>& parameters, double momentum = 0);
  std::vector<NamedParameter> state() const override { return {{"momentum_buffer", velocities_}}; }

 private:
  void update(double learning_rate, double gradient_scale) override;
  double momentum_;
  Tensor velocities_;
};

/// The learning rate as a function of the step, which counts from 1.
enum class Schedule {
  noam,          ///< factor / sqrt(d_model) min(1/sqrt(step), step / warmup^1.5), Vaswani et al. 2017, eq. 3
  inverse_sqrt,  ///< rises linearly to the peak over the warm-up, then falls as 1/sqrt(step)
  cosine,        ///< rises as inverse_sqrt, then falls along half a cosine, Loshchilov and Hutter 2017, eq. 5
  plateau,       ///< rises as inverse_sqrt, then is the peak times `reduction`, which the caller lowers
  constant       ///< the same at every step
};

struct ScheduleSettings {
  Schedule schedule = Schedule::noam;
  /// With noam the factor, with the others the peak.
  double learning_rate = 1;
  Index warmup_steps = 4000;
  /// Used by noam alone.
  Index d_model = 512;
  /// Used by cosine alone: the last step.
  Index steps = 0;
  /// Used by plateau alone: the product of all reductions so far.
  double reduction = 1;
  /// The lowest rate after the warm-up: that of cosine at the last step, and of plateau.
  double minimum = 0;
};

/// The learning rate of a step, which counts from 1. Throws Error for inverse_sqrt without warm-up and for
/// cosine without steps after the warm-up.
double learning_rate(const ScheduleSettings& settings, Index step);

/// Exponential moving average of parameters. After update t,
///   average += (1 - d) (parameter - average)   with d = min(decay, (1 + t) / (10 + t)),
/// so that the first, random weights lose their influence sooner. (Polyak and Juditsky 1992 give all updates
/// the same weight.) The average changes less from update to update than the weights, and often translates
/// better.
class MovingAverage {
 public:
  /// Starts from the present values of the parameters.
  MovingAverage(const std::vector<NamedParameter>& parameters, double decay);

  /// Starts again from the present values of the parameters.
  void restart();
  /// Includes the values after update `step`, which counts from 1.
  void update(Index step);
  /// Exchanges the values of parameters and averages. A second call restores them.
  void swap();
  /// The averages, under the parameters' names.
  const std::vector<NamedParameter>& averages() const { return averages_; }

 private:
  double decay_;
  std::vector<NamedParameter> parameters_, averages_;
};

/// While a WithAverage exists, the parameters have the values of their averages. With null nothing changes.
class WithAverage {
 public:
  explicit WithAverage(MovingAverage* average) : average_(average) { swap(); }
  ~WithAverage() { swap(); }
  WithAverage(const WithAverage&) = delete;
  WithAverage& operator=(const WithAverage&) = delete;

 private:
  void swap() {
    if (average_ != nullptr) average_->swap();
  }
  MovingAverage* average_;
};

}}}  // namespace regard::REGARD_PRECISION::nn
