# Writes HEADER with the VERSION and, if SOURCE is a repository, its commit. Models contain both.
set(version ${VERSION})
if(EXISTS ${SOURCE}/.git)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(commit)
    string(APPEND version "-${commit}")
  endif()
endif()
set(text "#define REGARD_VERSION \"${version}\"\n")
set(before "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} before)
endif()
if(NOT text STREQUAL before)  # so that nothing is compiled again for the same commit
  file(WRITE ${HEADER} "${text}")
endif()
