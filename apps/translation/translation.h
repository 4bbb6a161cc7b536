#pragma once

// The translator as a library, regard::translation. A program includes this header alone:
//
//   Translator translator = Translator::load("model");
//   for (const Translator::Result& result : translator.translate({"a sentence"}))
//     std::cout << result.n_best.front().text << "\n";
//
//   Settings settings = load_settings("settings.json");
//   Training training = prepare_training(settings, "model");
//   run_training(training);
//
// A model or an optimiser of your own: see TrainingOptions in training.h.
//
// apps/examples has whole programs.

#include "apps/translation/corpus/batching.h"
#include "apps/translation/metrics/bleu.h"
#include "apps/translation/model/make_model.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/training/training.h"
#include "apps/translation/translator/translator.h"
