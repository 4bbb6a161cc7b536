#include "apps/gradcheck/run.h"
#include "apps/regard/command_line.h"

namespace regard::program {

namespace {

using Parts = std::vector<std::string>;

int run(const Parts& parts) { return gradcheck_table::run(parts) ? 0 : 1; }

}  // namespace

void add_gradcheck(const Command& program) {
  const Command command = program.add(
      "gradcheck",
      "Compare every gradient with central differences in double precision; exit code 1 for an error above "
      "1e-7");
  command.option("PART", command.runs<Parts>(run), "operations, layers or models; default: all of them");
  command.footer("Examples:\n  regard gradcheck\n  regard gradcheck layers");
}

}  // namespace regard::program
