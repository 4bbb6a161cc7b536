# Finds what regard builds on. third_party/install.sh installs all of it on Debian and Ubuntu.
#
# OpenBLAS is not linked: autograd/machine/blas.cpp loads libopenblas.so.0 when the first product needs it,
# after choosing the right kernels for the processor, so only its run-time package is needed.

if(REGARD_OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
endif()
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
if(REGARD_APPS)
  find_package(CLI11 REQUIRED)
  find_package(PNG REQUIRED)
  find_package(JPEG REQUIRED)
  include(${CMAKE_CURRENT_LIST_DIR}/text_libraries.cmake)
endif()
# oneDNN is optional. It is not linked: autograd/low_precision/onednn.cpp loads it for products in bfloat16 and int8, by the
# soname that its package has here. Distributions choose it themselves: libdnnl.so.2 in Debian 12, libdnnl.so.3.6 in 13.
# It has threads of OpenMP, which only our own can hold back.
find_path(ONEDNN_INCLUDE_DIR oneapi/dnnl/dnnl.h)
find_library(ONEDNN_LIBRARY dnnl)
mark_as_advanced(ONEDNN_INCLUDE_DIR ONEDNN_LIBRARY)
set(ONEDNN_SONAME "")
if(ONEDNN_INCLUDE_DIR AND ONEDNN_LIBRARY AND REGARD_OPENMP)
  execute_process(COMMAND ${CMAKE_READELF} -d ${ONEDNN_LIBRARY} OUTPUT_VARIABLE onednn_header)
  if(onednn_header MATCHES "\\(SONAME\\)[^[]*\\[([^]]+)\\]")
    set(ONEDNN_SONAME ${CMAKE_MATCH_1})
  endif()
endif()
if(NOT ONEDNN_SONAME)
  message(STATUS "no products in bfloat16 and int8: they need libdnnl-dev and OpenMP")
endif()
# GNU libmicrohttpd is optional. `regard explore` loads it when it serves a page, so only its header is needed here.
if(REGARD_APPS)
  find_path(MICROHTTPD_INCLUDE_DIR microhttpd.h)
  mark_as_advanced(MICROHTTPD_INCLUDE_DIR)
  if(NOT MICROHTTPD_INCLUDE_DIR)
    message(STATUS "regard explore will save pages but not serve them: libmicrohttpd-dev is not installed")
  endif()
endif()
# ICU and libxml2 are optional: `regard translate --document` finds sentences, and `--files` texts in XML, with them.
if(REGARD_APPS)
  find_package(ICU QUIET COMPONENTS uc data)
  if(NOT ICU_FOUND)
    message(STATUS "regard translate --document will be refused: libicu-dev is not installed")
  endif()
  find_package(LibXml2 QUIET)
  if(NOT LibXml2_FOUND)
    message(STATUS "regard translate --files will refuse XLIFF and TMX: libxml2-dev is not installed")
  endif()
endif()
if(REGARD_TESTS)
  # Version 3 brings its own main; with version 2 (Debian 12) tests/main.cpp defines it.
  find_package(Catch2 REQUIRED)
endif()
