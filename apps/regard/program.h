#pragma once

#include "apps/translation/model/make_model.h"

namespace regard::program {

/// The whole program of regard: runs the command of the command line and returns the exit code. Every
/// exception becomes one sentence on standard error and exit code 1. `own_model` makes the models that
/// settings name in model.own, so all commands train and use them; empty: such a model is refused. Call it
/// once, from main.
int run_program(int argc, const char* const* argv, const translation::MakeModel& own_model = {});

}  // namespace regard::program
