# Finds what reads text and files of other programs. The installed package includes this file, too.
find_package(yaml-cpp REQUIRED)

# Debian's packages come without a CMake configuration.
find_path(UTF8PROC_INCLUDE_DIR utf8proc.h REQUIRED)
find_library(UTF8PROC_LIBRARY utf8proc REQUIRED)
if(NOT TARGET utf8proc::utf8proc)
  add_library(utf8proc::utf8proc UNKNOWN IMPORTED)
  set_target_properties(utf8proc::utf8proc PROPERTIES IMPORTED_LOCATION "${UTF8PROC_LIBRARY}"
                                                      INTERFACE_INCLUDE_DIRECTORIES "${UTF8PROC_INCLUDE_DIR}")
endif()

find_path(RE2_INCLUDE_DIR re2/re2.h REQUIRED)
find_library(RE2_LIBRARY re2 REQUIRED)
if(NOT TARGET re2::re2)
  add_library(re2::re2 UNKNOWN IMPORTED)
  set_target_properties(re2::re2 PROPERTIES IMPORTED_LOCATION "${RE2_LIBRARY}"
                                            INTERFACE_INCLUDE_DIRECTORIES "${RE2_INCLUDE_DIR}")
endif()

# libzip: the CMake configuration in Debian's package asks for programs of other packages.
find_path(ZIP_INCLUDE_DIR zip.h)
find_library(ZIP_LIBRARY zip)
mark_as_advanced(ZIP_INCLUDE_DIR ZIP_LIBRARY)
if(NOT ZIP_INCLUDE_DIR OR NOT ZIP_LIBRARY)
  message(FATAL_ERROR "libzip was not found: install libzip-dev (third_party/install.sh does)")
endif()
if(NOT TARGET zip::zip)
  add_library(zip::zip UNKNOWN IMPORTED)
  set_target_properties(zip::zip PROPERTIES IMPORTED_LOCATION "${ZIP_LIBRARY}"
                                            INTERFACE_INCLUDE_DIRECTORIES "${ZIP_INCLUDE_DIR}")
endif()
