#pragma once

namespace regard::gradcheck_table {

/// Compares every gradient with central differences in double precision: of each operation, each layer, an
/// encoder layer, a decoder layer and small whole models. Prints a table and a last line `worst: ERROR
/// (NAME)`. Returns true if all errors are at most 1e-7.
bool run();

}  // namespace regard::gradcheck_table
