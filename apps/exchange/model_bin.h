#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apps/exchange/export.h"
#include "autograd/tensor.h"

namespace regard::exchange {

/// A model.bin of CTranslate2: the variables of a model, and other names for some of them. The format is that
/// of CTranslate2's Python package, specs/model_spec.py (`_serialize`, `_quantize`), in binary version 6.
class ModelBin {
 public:
  explicit ModelBin(WeightPrecision precision) : precision_(precision) {}

  void scalar(const std::string& name, std::int8_t number) { add_scalar(name, Type::int8, number); }
  void scalar(const std::string& name, std::int16_t number) { add_scalar(name, Type::int16, number); }
  void scalar(const std::string& name, float number) { add_scalar(name, Type::float32, number); }
  void flag(const std::string& name, bool value) { scalar(name, static_cast<std::int8_t>(value)); }
  void alias(const std::string& name, const std::string& of) { aliases_[name] = of; }

  /// A matrix or a vector, not quantised.
  void tensor(const std::string& name, const Tensor& tensor);
  /// A matrix, quantised if the precision says so, or a vector.
  void weight(const std::string& name, const Tensor& tensor);

  /// Writes the file. Throws Error if it cannot be written, or if a variable has more than 2^32 - 1 bytes.
  void write(const std::string& path) const;

 private:
  enum class Type : std::uint8_t { float32 = 0, int8 = 1, int16 = 2 };
  struct Variable {
    std::vector<std::uint32_t> shape;  ///< empty: a scalar
    Type type;
    std::string_view bytes;
  };

  template <class Number>
  void add_scalar(const std::string& name, Type type, Number number) {
    variables_[name] = {{}, type, keep({reinterpret_cast<const char*>(&number), sizeof number})};
  }
  std::string_view keep(std::string bytes) { return kept_.emplace_back(std::move(bytes)); }

  WeightPrecision precision_;
  std::deque<std::string> kept_;               ///< a deque, so that its strings stay where they are
  std::vector<Tensor> tensors_;                ///< to which variables refer
  std::map<std::string, Variable> variables_;  ///< in alphabetical order, as CTranslate2 writes them
  std::map<std::string, std::string> aliases_;
};

}  // namespace regard::exchange
