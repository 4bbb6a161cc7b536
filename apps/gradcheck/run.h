#pragma once

#include <string>
#include <vector>

namespace regard::gradcheck_table {

/// Compares gradients with central differences in double precision. `parts` are "operations", "layers" and
/// "models" (an encoder layer, a decoder layer and small whole models); without any, all. Prints a table and
/// a last line `worst: ERROR (NAME)`. Returns true if all errors are at most 1e-7. Throws Error for another
/// part.
bool run(const std::vector<std::string>& parts);

}  // namespace regard::gradcheck_table
