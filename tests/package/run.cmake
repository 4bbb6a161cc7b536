# cmake -D BUILD=… -D WORK=… -D GENERATOR=… -D COMPILER=… -D FLAGS=… -D OPENMP=… -P run.cmake
# For another processor also -D TOOLCHAIN=… -D SYSROOT=… -D EMULATOR=…, as CMake calls them.
# Installs the build in directory BUILD below the directory WORK, builds apps/examples against it, and runs the
# examples. Ends at the first error.
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
set(configure -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_FLAGS=${FLAGS}
              -D CMAKE_PREFIX_PATH=${WORK}/installed ${other_processor} -D CMAKE_CXX_FLAGS_RELEASE=-O1)  # faster than -O3
set(examples ${WORK}/build)
run(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/../../apps/examples -B ${examples} ${configure})
run(COMMAND ${CMAKE_COMMAND} --build ${examples})

run(COMMAND ${EMULATOR} ${examples}/two_moons EXPECT "^accuracy (9[5-9]|100) %\n$")
# Its threads spin briefly, unless the user wants something else.
if(OPENMP)
  set(shows ${CMAKE_COMMAND} -E env --unset=GOMP_SPINCOUNT OMP_DISPLAY_ENV=verbose)
  run(COMMAND ${shows} ${EMULATOR} ${examples}/gradient EXPECT "GOMP_SPINCOUNT = '10000'|KMP_BLOCKTIME='0'")
  run(COMMAND ${shows} GOMP_SPINCOUNT=7 ${EMULATOR} ${examples}/gradient EXPECT "GOMP_SPINCOUNT = '7'|KMP_BLOCKTIME='200'")
endif()

# The listings in README.md are these programs, and it says what they print. (Of the losses two decimals are compared,
# because other processors round differently.)
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../README.md readme)
foreach(example gradient train_step)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/../../apps/examples/${example}.cpp listing)
  string(FIND "${listing}" "int main()" begin)
  string(SUBSTRING "${listing}" ${begin} -1 listing)
  string(FIND "${readme}" "${listing}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "README.md does not have the main() of apps/examples/${example}.cpp")
  endif()
endforeach()
run(COMMAND ${EMULATOR} ${examples}/gradient)
string(FIND "${readme}" "```\n${output}```" found)
if(found EQUAL -1)
  message(FATAL_ERROR "README.md does not say what apps/examples/gradient.cpp prints:\n${output}")
endif()
run(COMMAND ${EMULATOR} ${examples}/train_step EXPECT "^loss ([0-9.]+), after one step ([0-9.]+)\n$")
string(REGEX REPLACE "([0-9]+\\.[0-9][0-9])[0-9]*" "\\1[0-9]*" printed "${output}")
if(NOT readme MATCHES "```\n${printed}```")
  message(FATAL_ERROR "README.md does not say what apps/examples/train_step.cpp prints:\n${output}")
endif()
string(REGEX MATCHALL "[0-9.]+" losses "${output}")
list(GET losses 0 before)
list(GET losses 1 after)
if(NOT after LESS before)
  message(FATAL_ERROR "a step of training should lower the loss: ${output}")
endif()

run(COMMAND ${EMULATOR} ${examples}/my_layer EXPECT "^13 derivatives, largest error [0-9.]+e-[0-9]+\n$")

# The text repeats "the"; a model that learnt nothing would draw other characters.
run(COMMAND ${EMULATOR} ${examples}/characters EXPECT "^loss 0\\.[0-9]+\nthe cat [a-z. ]*the [a-z. ]*\n$")

# For a moment: not enough to reverse words, but the map of the attention has a row for </s>. (transformer_tests and
# apps_tests compare this file with the library, and train it.)
run(COMMAND ${EMULATOR} ${examples}/transformer 20 EXPECT "^[0-9.]+ % of 1000 new words .*\nattention -> .*\n>  .*\n$")
run(COMMAND ${EMULATOR} ${examples}/transformer 0 MUST_FAIL EXPECT "^usage: transformer ")
run(COMMAND ${EMULATOR} ${examples}/transformer_timing 1 EXPECT "one file +no trick +library\na step of training")

# Copying a sentence: the translator is trained for a moment, so that its translations are of no account.
set(sentences "")
foreach(first a b c d e f)
  foreach(second a b c d e f)
    string(APPEND sentences "${first} ${second} ${first}\n")
  endforeach()
endforeach()
file(WRITE ${WORK}/sentences.txt "${sentences}")
run(COMMAND ${EMULATOR} ${examples}/train_translator ${WORK}/sentences.txt ${WORK}/sentences.txt ${WORK}/model
    EXPECT "step 20\nstep 40\nstep 60\n[0-9]+ parameters in .*/model\n$")
file(WRITE ${WORK}/one.txt "a b a\n")
execute_process(COMMAND ${EMULATOR} ${examples}/translate ${WORK}/model INPUT_FILE ${WORK}/one.txt
                RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0 OR NOT output MATCHES "\n  log-probability -[0-9.e-]+\n(  .+ <- .+\n)*  </s> <- .+\n$")
  message(FATAL_ERROR "translate ended with ${result}:\n${output}")
endif()
run(COMMAND ${EMULATOR} ${examples}/translate ${WORK}/nowhere MUST_FAIL EXPECT "no model directory .*nowhere")

# An encoder of its own, trained on text: each word has one translation, so the training learns all of them.
function(write_translations sentences file)
  foreach(pair a:d b:e c:f)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 from)
    list(GET pair 1 to)
    string(REPLACE ${from} "_" sentences "${sentences}")
    string(REPLACE ${to} ${from} sentences "${sentences}")
    string(REPLACE "_" ${to} sentences "${sentences}")
  endforeach()
  file(WRITE ${file} "${sentences}")
endfunction()
write_translations("${sentences}" ${WORK}/translations.txt)
file(WRITE ${WORK}/own.json "{
  \"data\": {\"source\": \"${WORK}/sentences.txt\", \"target\": \"${WORK}/translations.txt\"},
  \"model\": {\"own\": \"my_encoder\", \"d_model\": 32},
  \"training\": {\"steps\": 300, \"batch_tokens\": 500, \"schedule\": \"constant\", \"learning_rate\": 0.005}}")
run(COMMAND ${EMULATOR} ${examples}/my_encoder train ${WORK}/own.json --out ${WORK}/own EXPECT "\nTrained for ")
execute_process(COMMAND ${EMULATOR} ${examples}/my_encoder translate ${WORK}/own
                INPUT_FILE ${WORK}/one.txt RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0 OR NOT output STREQUAL "d e d\n")
  message(FATAL_ERROR "my_encoder ended with ${result}:\n${output}")
endif()

# BLEU needs sentences of four words. At the end it is 93 here, after 80 epochs 25, at first 0.
set(long_sentences "")
foreach(first a b c d e f)
  foreach(second a b c d e f)
    foreach(third a b c)
      string(APPEND long_sentences "${first} ${second} ${third} ${first}\n")
    endforeach()
  endforeach()
endforeach()
file(WRITE ${WORK}/long_sentences.txt "${long_sentences}")
write_translations("${long_sentences}" ${WORK}/their_translations.txt)
file(WRITE ${WORK}/long.txt "a b c a\n")
execute_process(COMMAND ${EMULATOR} ${examples}/train_loop ${WORK}/long_sentences.txt ${WORK}/their_translations.txt 200
                INPUT_FILE ${WORK}/long.txt RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0 OR NOT output MATCHES "\nepoch 200  loss 0\\.[0-9]+  BLEU ([89][0-9][0-9.]*|100)\nd e f d\n$")
  message(FATAL_ERROR "train_loop ended with ${result}:\n${output}")
endif()
run(COMMAND ${EMULATOR} ${examples}/my_optimiser ${WORK}/sentences.txt ${WORK}/translations.txt ${WORK}/lion
    EXPECT "^resumed at step 50\nended at step 100\n$")
execute_process(COMMAND ${EMULATOR} ${examples}/translate ${WORK}/lion INPUT_FILE ${WORK}/one.txt
                RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0 OR NOT output MATCHES "^d e d\n")
  message(FATAL_ERROR "the model of my_optimiser translates with ${result}:\n${output}")
endif()
run(COMMAND ${EMULATOR} ${examples}/train_loop MUST_FAIL EXPECT "^usage: train_loop ")
run(COMMAND ${EMULATOR} ${examples}/translate ${WORK}/own MUST_FAIL EXPECT "the model is \"my_encoder\"")
run(COMMAND ${EMULATOR} ${examples}/my_encoder inspect ${WORK}/own EXPECT "encoder.layer.weight")
run(COMMAND ${EMULATOR} ${examples}/my_encoder_check EXPECT "^[0-9]+ derivatives, largest error [0-9.]+e-[0-9]+\n$")

# What is compiled for float and linked to double, or linked to both, must not become a program.
run(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/mixed ${configure})
run(COMMAND ${CMAKE_COMMAND} --build ${WORK}/mixed --target mixed
    MUST_FAIL EXPECT "undefined (reference|symbol).*regard::f32::")
run(COMMAND ${CMAKE_COMMAND} --build ${WORK}/mixed --target both MUST_FAIL EXPECT "float and in double")

# Who asks for some libraries needs only what these are built on, and regard as a folder leaves its surroundings alone.
set(ask ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/components ${configure})
run(COMMAND ${ask} -B ${WORK}/engine -D COMPONENTS=autograd)
run(COMMAND ${ask} -B ${WORK}/models -D "COMPONENTS=transformer|nn_f64")
run(COMMAND ${ask} -B ${WORK}/nothing -D COMPONENTS=sound MUST_FAIL EXPECT "this regard has no library sound; it has.*autograd")
if(EXISTS ${WORK}/installed/bin/regard)
  run(COMMAND ${ask} -B ${WORK}/program -D COMPONENTS=translation MUST_FAIL EXPECT "PNG")
endif()
run(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/subproject -B ${WORK}/subproject ${configure})

if(EXISTS ${WORK}/installed/bin/regard)
  run(COMMAND ${EMULATOR} ${WORK}/installed/bin/regard --version EXPECT "^regard [0-9]")
  run(COMMAND ${EMULATOR} ${WORK}/installed/bin/regard inspect ${WORK}/model EXPECT "encoder.layers.0.self_attn.in_proj_weight")
endif()
