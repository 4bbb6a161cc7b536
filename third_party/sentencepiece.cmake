# Finds SentencePiece, for the room of subwords. The installed package includes this file, too. The library comes with a
# file for pkg-config but none for CMake, and its two libraries and two headers are found without pkg-config as well.
find_path(SENTENCEPIECE_INCLUDE_DIR sentencepiece_trainer.h)
find_library(SENTENCEPIECE_LIBRARY sentencepiece)
find_library(SENTENCEPIECE_TRAIN_LIBRARY sentencepiece_train)
mark_as_advanced(SENTENCEPIECE_INCLUDE_DIR SENTENCEPIECE_LIBRARY SENTENCEPIECE_TRAIN_LIBRARY)
if(NOT SENTENCEPIECE_INCLUDE_DIR OR NOT SENTENCEPIECE_LIBRARY OR NOT SENTENCEPIECE_TRAIN_LIBRARY)
  message(FATAL_ERROR "SentencePiece was not found: install libsentencepiece-dev (third_party/install.sh does)")
endif()
if(NOT TARGET sentencepiece::sentencepiece)
  add_library(sentencepiece::sentencepiece INTERFACE IMPORTED GLOBAL)
  target_include_directories(sentencepiece::sentencepiece SYSTEM INTERFACE ${SENTENCEPIECE_INCLUDE_DIR})
  target_link_libraries(sentencepiece::sentencepiece INTERFACE ${SENTENCEPIECE_TRAIN_LIBRARY}
                                                               ${SENTENCEPIECE_LIBRARY})
endif()
