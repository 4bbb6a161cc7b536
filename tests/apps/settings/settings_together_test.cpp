// Settings that are valid alone but contradict each other, or have no effect.
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/apps/settings/checked.h"

using namespace regard::translation;
using namespace regard::tests;

TEST_CASE("settings that contradict each other are refused", "[settings]") {
  accepted({});
  accepted({"training.scheduled_sampling=0.5", "training.scheduled_sampling_steps=10"});
  refused({"training.scheduled_sampling_steps=10"},
          "training.scheduled_sampling_steps is 10, but training.scheduled_sampling is 0");
  refused({"data.tsv="}, "there is no training corpus; give data.source");
  refused({"decoding.min_length=5", "decoding.max_length=4"}, "min_length is 5, but max_length is 4");
  refused({"data.source=x", "data.target=x"},
          "data.tsv replaces data.source and data.target; give either data.tsv or the other two");
  refused({"data.tsv=", "data.source=x"}, "data.target is not");
  refused({"data.tsv=", "data.target=x"}, "data.source is not");
  accepted({"data.tsv=", "data.source=x", "data.target=x"});
  refused({"data.validation_source=x"}, "data.validation_target is not");
  refused({"data.validation_source=x", "data.validation_target=x", "data.validation_tsv=x"},
          "data.validation_tsv replaces data.validation_source");
  refused({"data.vocabulary_size=4"}, "data.vocabulary_size 4 has no room");
  refused({"data.joint_vocabulary=false"},
          "model.shared_embeddings \"all\" needs data.joint_vocabulary true");
  accepted({"data.joint_vocabulary=false", "model.shared_embeddings=none"});
  refused({"model.heads=3"}, "heads (3) must divide d_model (128)");
  refused({"training.epochs=0"}, "nothing ends the training");
  accepted({"training.epochs=0", "training.steps=1"});
  accepted({"training.epochs=0", "training.tokens=1"});
  refused({"training.schedule=constant"}, "set training.learning_rate");
  accepted({"training.schedule=constant", "training.learning_rate=1e-3"});
  accepted({"training.epochs=0", "training.minutes=0.5"});
  refused({"training.schedule=cosine", "training.learning_rate=0.01", "training.minutes=60"},
          "which training.tokens and training.minutes do not tell; set training.steps or training.epochs");
  const Overrides plateau{"training.schedule=plateau", "training.learning_rate=0.01"};
  const auto with_plateau = [&](const Overrides& more) {
    Overrides all = plateau;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  refused(plateau, "follows the validations, but there is no validation corpus");
  accepted(with_plateau({"data.validation_tsv=x", "validation.patience=4"}));
  accepted(with_plateau({"data.validation_share=0.01", "training.minimum_learning_rate=1e-4"}));
  refused(with_plateau({"data.validation_tsv=x", "validation.patience=3"}),
          "validation.patience 3 ends the training before training.plateau_patience 3");
  refused(with_plateau({"data.validation_tsv=x", "training.minimum_learning_rate=1"}),
          "minimum_learning_rate 1 is above");
  refused({"data.validation_share=0.1", "data.validation_tsv=x"}, "but there is a validation corpus");
  const std::string two = "data.tsv=[\"a\", \"b\"]";
  accepted({two, "data.shares=[1, 0.5]"});
  accepted({two, "data.temperature=5"});
  refused({two, "data.shares=[1]"}, "data.shares has 1 number, but the training corpus has 2 files");
  refused({two, "data.shares=[1, 2]", "data.temperature=5"}, "give one of them");
  refused({"data.temperature=5"}, "is for a training corpus of several files, but there is one");
  refused({"checkpoints.average=last"}, "\"last\" needs checkpoints.keep_last of at least 2");
  refused({"checkpoints.average=best"}, "\"best\" needs checkpoints.keep_best of at least 2");
  const auto cosine = [](const char* steps, const char* minimum) -> Overrides {
    return {"training.schedule=cosine", "training.learning_rate=0.01", std::string("training.steps=") + steps,
            std::string("training.minimum_learning_rate=") + minimum};
  };
  refused(cosine("4000", "0"), "falls from training.warmup_steps, which is 4000, to training.steps");
  refused(cosine("4001", "0.02"), "minimum_learning_rate 0.02 is above");
  accepted(cosine("4001", "0.01"));
  accepted(cosine("0", "0.01"));  // over the epochs
  refused({"training.schedule=cosine", "training.learning_rate=0.01", "training.tokens=1000"},
          "set training.steps or training.epochs");
}

TEST_CASE("positions must suffice for the longest source and the longest translation", "[settings]") {
  // A search goes on for 2 * 256 + 10 tokens and </s>.
  const auto learned = [](const std::string& preset, const std::string& most, Overrides more) {
    more.insert(more.begin(),
                {"model.preset=" + preset, "model.positions.kind=learned", "model.positions.most=" + most});
    return more;
  };
  refused(learned("toy", "256", {}), "a sentence of training may have 257 tokens");
  refused(learned("toy", "522", {}),
          "model.positions.most is 522, but a search may come to 523 tokens with their end "
          "(decoding.max_length_ratio and the other limits); set model.positions.most to 523, or "
          "decoding.max_length to 521");
  accepted(learned("toy", "523", {}));
  accepted(learned("toy", "301", {"decoding.max_length=300"}));
  accepted(learned("toy", "257", {"model.positions.sides=encoder"}));  // no search reads a source
  refused(learned("toy", "257", {"model.positions.sides=decoder"}), "a search may come to 523 tokens");
}

TEST_CASE("a setting that nothing reads is refused with what would read it", "[settings]") {
  needs(
      {"validation.patience=5"},
      "data.validation_source and data.validation_target, or data.validation_tsv, or data.validation_share");
  accepted({"data.validation_tsv=x", "validation.patience=5"});
  needs({"validation.metric=bleu"}, "data.validation_source");
  needs({"checkpoints.keep_best=5"}, "data.validation_source");
  needs({"training.minimum_learning_rate=1e-5"}, "training.schedule \"cosine\" or \"plateau\"");
  needs({"training.plateau_factor=0.9"}, "training.schedule \"plateau\"");
  needs({"training.optimiser=sgd", "training.weight_decay=0.1"}, "training.optimiser \"adam\"");
  accepted({"training.weight_decay=0.1"});
  accepted({"data.validation_share=0.1", "validation.patience=5"});
  needs({"training.momentum=0.9"}, "training.optimiser \"sgd\"");
  needs({"model.preset=tiny", "model.positions.most=2000"}, "model.positions.kind \"learned\"");
  needs({"model.positions.kind=none", "model.positions.use=concatenated"},
        "model.positions.kind \"sinusoidal\" or \"learned\" and model.encoder \"transformer\"");
  needs({"model.positions.kind=learned", "model.positions.base=100"}, "model.positions.kind \"sinusoidal\"");
  for (const std::string kind : {"relative", "rotary", "alibi"})
    needs({"model.positions.kind=" + kind, "model.positions.use=concatenated"},
          "model.positions.kind \"sinusoidal\" or \"learned\" and model.encoder \"transformer\"");
  needs({"model.positions.kind=rotary", "model.positions.radius=3"}, "model.positions.kind \"relative\"");
  needs({"model.positions.kind=rotary", "model.positions.layout=halves"},
        "model.positions.kind \"sinusoidal\"");
  needs({"model.positions.kind=alibi", "model.positions.base=100"}, "model.positions.kind \"sinusoidal\"");

  accepted({"model.positions.kind=rotary", "model.positions.base=100", "model.positions.sides=decoder"});
}

TEST_CASE("the values of a preset are not refused, whether they are given or not", "[settings]") {
  for (const std::string& preset : preset_names()) {
    const Settings settings = with({"model.preset=" + preset});
    CHECK_NOTHROW(check(settings));
    CHECK_NOTHROW(check(parse_settings(to_json(resolved(settings)), "config.json")));
  }
}
