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
  find_package(PNG REQUIRED)
  find_package(JPEG REQUIRED)
  include(${CMAKE_CURRENT_LIST_DIR}/text_libraries.cmake)
endif()
if(REGARD_TESTS)
  # Version 3 brings its own main; with version 2 (Debian 12) tests/main.cpp defines it.
  find_package(Catch2 REQUIRED)
endif()
