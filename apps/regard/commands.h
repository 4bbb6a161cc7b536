#pragma once

#include <array>

#include "apps/regard/command_line.h"

namespace regard::program {

// Each subcommand is one file of the same name: its settings, its options and its action.

void add_train(const Command& program);
void add_translate(const Command& program);
void add_score(const Command& program);
void add_evaluate(const Command& program);
void add_explore(const Command& program);
void add_inspect(const Command& program);
void add_corpus(const Command& program);
void add_average(const Command& program);
void add_convert(const Command& program);
void add_export(const Command& program);
void add_import(const Command& program);
void add_shortlist(const Command& program);
void add_vocabulary(const Command& program);
void add_plot(const Command& program);
void add_experiment(const Command& program);
void add_toy(const Command& program);
void add_gradcheck(const Command& program);
void add_bench(const Command& program);
void add_profile(const Command& program);

/// All subcommands, in the order of --help.
inline constexpr std::array commands{add_train,     add_translate,  add_score,   add_evaluate, add_corpus,
                                     add_explore,   add_inspect,    add_average, add_convert,
#ifdef REGARD_HAS_EXCHANGE
                                     add_export,    add_import,
#endif
                                     add_shortlist, add_vocabulary, add_plot,    add_toy,      add_experiment,
                                     add_gradcheck, add_bench,      add_profile};

}  // namespace regard::program
