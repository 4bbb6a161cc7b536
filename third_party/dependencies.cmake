# Finds what regard builds on. third_party/install.sh installs all of it on Debian and Ubuntu.
#
# OpenBLAS is not linked: autograd/blas.cpp loads libopenblas.so.0 when the first product needs it,
# after choosing the right kernels for the processor, so only its run-time package is needed.

find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
if(REGARD_APPS)
  find_package(CLI11 REQUIRED)
  # Debian's package comes without a CMake configuration.
  find_path(UTF8PROC_INCLUDE_DIR utf8proc.h REQUIRED)
  find_library(UTF8PROC_LIBRARY utf8proc REQUIRED)
  add_library(utf8proc::utf8proc UNKNOWN IMPORTED)
  set_target_properties(utf8proc::utf8proc PROPERTIES IMPORTED_LOCATION "${UTF8PROC_LIBRARY}"
                                                      INTERFACE_INCLUDE_DIRECTORIES "${UTF8PROC_INCLUDE_DIR}")
endif()
if(REGARD_TESTS)
  # Version 3 brings its own main; with version 2 (Debian 12) tests/main.cpp defines it.
  find_package(Catch2 REQUIRED)
endif()
