#pragma once

#include <string>
#include <vector>

#include "autograd/checks/cases.h"

namespace regard::tests {

/// Gradient checks, and the operations that they name, in order: "add attention concat".
struct CaseTable {
  std::vector<gradcheck_table::GradientCase> (*cases)();
  std::string operations;
};

/// The tables of the engine and of the guests that are built. A file adds one with an AddCases.
inline std::vector<CaseTable>& case_tables() {
  static std::vector<CaseTable> tables;
  return tables;
}
struct AddCases {
  AddCases(std::vector<gradcheck_table::GradientCase> (*cases)(), const std::string& operations) {
    case_tables().push_back({cases, operations});
  }
};

inline std::vector<gradcheck_table::GradientCase> all_cases() {
  std::vector<gradcheck_table::GradientCase> all;
  for (const CaseTable& table : case_tables())
    for (const gradcheck_table::GradientCase& c : table.cases()) all.push_back(c);
  return all;
}

}  // namespace regard::tests
