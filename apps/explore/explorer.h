#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/explore/replies.h"
#include "apps/translation/corpus/sources.h"
#include "autograd/machine/error.h"

namespace regard::explore {

/// There is no model now, but there may be one later: a training has not written it yet, or another program
/// is replacing it.
class NoModel : public Error {
 public:
  using Error::Error;
};

struct ExplorerSettings {
  /// The model of the first one is shown, and the curves of all. The others can be compared with it.
  std::vector<std::string> directories;
  translation::LoadOptions loading =
      {};  ///< of the first model; another one has its own weights and precision
  /// A corpus on which heads are ranked; empty: none.
  translation::Paths source = {}, target = {};
};

/// The data of the page: a model, and the logs of trainings. Before each reply it looks whether the files of
/// the model have changed, and then reads them again.
class Explorer {
 public:
  /// Throws Error if a directory is neither a model nor a training, or if the model or the corpus cannot be
  /// read.
  explicit Explorer(ExplorerSettings settings);

  /// The replies of replies.h. Without a model, model() is null, and the others throw NoModel. A request for
  /// a translation may name one of the "others" of model() as its "model".
  Json model();
  Json translate(const Json& request);
  Json head_importance();
  /// {"runs", "plots"}: the learning curves as numbers (runs.h) and as images (curves.h). Unlike the other
  /// functions, several threads may call it.
  Json runs() const;

 private:
  struct Loaded {
    TranslationModel model;
    std::optional<translation::ParallelCorpus> corpus;
    std::vector<std::string> versions;  ///< of the files; they change when a file is written or replaced
  };
  /// A model that can be compared with the first one; `weights` as in LoadOptions.
  struct Other {
    std::string name, directory, weights;
  };
  Loaded& loaded();
  void load();
  bool may_load() const;
  std::vector<Other> others() const;
  Explorer& other(const std::string& name);

  ExplorerSettings settings_;
  std::optional<Loaded> loaded_;
  std::string other_name_;  ///< of the model below
  std::unique_ptr<Explorer> other_;
};

}  // namespace regard::explore
