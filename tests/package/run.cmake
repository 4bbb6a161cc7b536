# cmake -D BUILD=… -D WORK=… -D GENERATOR=… -D COMPILER=… -D FLAGS=… -P run.cmake
# For another processor also -D TOOLCHAIN=… -D SYSROOT=… -D EMULATOR=…, as CMake calls them.
# Installs the build in directory BUILD below the directory WORK, builds this folder's project against it, and
# runs what comes out. Ends at the first thing that is not as it should be.
cmake_minimum_required(VERSION 3.22)

function(run)
  cmake_parse_arguments(arg "MUST_FAIL" "EXPECT" "COMMAND" ${ARGN})
  execute_process(COMMAND ${arg_COMMAND} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REPLACE ";" " " line "${arg_COMMAND}")
  if((arg_MUST_FAIL AND result EQUAL 0) OR (NOT arg_MUST_FAIL AND NOT result EQUAL 0))
    message(FATAL_ERROR "${line}\nended with ${result}:\n${output}")
  endif()
  if(arg_EXPECT AND NOT output MATCHES "${arg_EXPECT}")
    message(FATAL_ERROR "${line}\ndid not print \"${arg_EXPECT}\":\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

if(TOOLCHAIN)
  set(other_processor -D CMAKE_TOOLCHAIN_FILE=${TOOLCHAIN} -D CMAKE_FIND_ROOT_PATH=${SYSROOT}
                      -D CMAKE_STAGING_PREFIX=${WORK}/installed)
endif()
file(REMOVE_RECURSE ${WORK})
run(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
run(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -G ${GENERATOR}
            -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_FLAGS=${FLAGS} -D CMAKE_PREFIX_PATH=${WORK}/installed
            ${other_processor})
run(COMMAND ${CMAKE_COMMAND} --build ${WORK}/build)

run(COMMAND ${EMULATOR} ${WORK}/build/train_step EXPECT "^loss ([0-9.]+), after one step ([0-9.]+)\n$")
string(REGEX MATCHALL "[0-9.]+" losses "${output}")
list(GET losses 0 before)
list(GET losses 1 after)
if(NOT after LESS before)
  message(FATAL_ERROR "a step of training should lower the loss: ${output}")
endif()

run(COMMAND ${EMULATOR} ${WORK}/build/my_layer EXPECT "^13 derivatives, largest error [0-9.]+e-[0-9]+\n$")

# What is compiled for float and linked to double must not become a program.
run(COMMAND ${CMAKE_COMMAND} --build ${WORK}/build --target mixed MUST_FAIL
    EXPECT "undefined (reference|symbol).*regard::f32::")

if(EXISTS ${WORK}/installed/bin/regard)
  run(COMMAND ${EMULATOR} ${WORK}/installed/bin/regard --version EXPECT "^regard [0-9]")
endif()
