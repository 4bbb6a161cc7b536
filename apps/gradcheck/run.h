#pragma once

namespace regard::gradcheck_table {

/// Compares every gradient with central differences in double precision: each operation, each layer, an
/// encoder layer, a decoder layer and whole small models. Prints a table and a last line
/// `worst: ERROR (NAME)`. Returns whether all errors are at most 1e-7.
bool run();

}  // namespace regard::gradcheck_table
