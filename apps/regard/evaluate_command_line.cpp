// The options of `regard evaluate`.
#include "apps/regard/options.h"

namespace regard::program {

namespace {

void add_scores(CLI::App& app, Evaluate& command) {
  app.add_option("--tokeniser", command.tokeniser,
                 "How BLEU cuts into words: 13a, intl (Unicode's punctuation) or none (at blanks)")
      ->capture_default_str();
  app.add_flag("--lowercase", command.lowercase, "Compare in lower case");
  CLI::Option* const baseline = app.add_option(
      "--baseline", command.baseline, "Another output, one a line: is the difference more than chance?");
  app.add_option("--bootstrap-samples", command.bootstrap.samples, "Corpora drawn to find that out")
      ->capture_default_str()
      ->needs(baseline);
  app.add_option("--seed", command.bootstrap.seed, "Another seed, other samples")
      ->capture_default_str()
      ->check(not_negative)
      ->needs(baseline);
}

}  // namespace

void add_evaluate(CLI::App& app, Evaluate& command, Action& action) {
  CLI::App* const sub =
      app.add_subcommand("evaluate", "Compare translations, a model's or those in a file, with references");
  CLI::Option* const model = sub->add_option("MODEL_DIR", command.model, "What regard train wrote");
  sub->add_option("--hypothesis", command.hypothesis, "Instead of a model: its translations, one a line")
      ->excludes(model);
  sub->add_option("--reference", command.reference, "The right translations, one a line")->required();
  const std::size_t without_model = sub->get_options().size();
  add_weights(*sub, command.weights);
  sub->add_option("--source", command.source, "Sentences, one a line, for the model to translate");
  sub->add_option("--output", command.output, "File to write the model's translations to; default: none");
  add_search(*sub, command.search);
  const std::vector<CLI::Option*> options = sub->get_options();
  for (std::size_t i = without_model; i < options.size(); ++i) options[i]->needs(model);
  add_scores(*sub, command);
  sub->footer(
      "Examples:\n"
      "  regard evaluate build/model --source build/toy/test.source --reference build/toy/test.target\n"
      "  regard evaluate --hypothesis translation.txt --reference reference.txt --baseline other.txt");
  sub->callback([&] { action = [&] { return run(command); }; });
}

}  // namespace regard::program
