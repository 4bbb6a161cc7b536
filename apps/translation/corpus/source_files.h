#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/kernels/planes.h"
#include "autograd/machine/real.h"
#include "autograd/tensor.h"

namespace regard::translation {

/// Sources that are files, such as images, and not sentences. A line of the source side has the path of one;
/// the target is a sentence about it. A kind of encoder that reads them makes this object
/// (settings/architecture.h).
class SourceFiles {
 public:
  struct Words {
    const char* name;      ///< "image"
    const char* one;       ///< "an image"
    const char* target;    ///< "caption"
    const char* smaller;   ///< what to try if memory does not suffice: "smaller images"
    const char* encoders;  ///< "\"convolutional\" or \"patches\""
  };

  explicit SourceFiles(const Words& words) : words_(words) {}
  virtual ~SourceFiles() = default;
  SourceFiles(const SourceFiles&) = delete;
  SourceFiles& operator=(const SourceFiles&) = delete;

  const Words& words() const { return words_; }

  /// The file as the encoder reads it, without </s>. Throws Error that names the file if it cannot be read.
  virtual std::vector<std::int32_t> read(const std::string& path) const = 0;
  /// The positions of the encoder's memory for one of them.
  virtual Index positions() const = 0;
  /// True if this file has the form of one of them.
  virtual bool has_form(const std::string& path) const = 0;
  /// Draws the attention of each word of a target over the file at `path` into a new directory. `weights` is
  /// [words, height * width], with the positions of the memory row by row; the last word is </s>.
  virtual void draw(const std::string& directory, const std::string& path, const std::string& target,
                    const std::vector<std::string>& words, const Tensor& weights,
                    const Plane& plane) const = 0;

 private:
  Words words_;
};

/// Throws Error if the text, which a model for sentences is about to read, is the path of a file that other
/// models read. `place` says where it is, such as "train.tsv, line 1". The kinds of encoders know such files,
/// so it is defined with them (settings/architecture.cpp).
void check_no_file(const std::string& text, const std::string& place);

}  // namespace regard::translation
