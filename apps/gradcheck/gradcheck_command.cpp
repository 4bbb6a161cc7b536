#include "apps/gradcheck/run.h"
#include "apps/regard/command_line.h"

namespace regard::program {

void add_gradcheck(const Command& program) {
  const Command command = program.add(
      "gradcheck",
      "Compare every gradient with central differences in double precision; exit code 1 for an error above "
      "1e-7");
  command.footer("Example:\n  regard gradcheck");
  command.action([] { return gradcheck_table::run() ? 0 : 1; });
}

}  // namespace regard::program
