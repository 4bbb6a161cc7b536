#include "apps/toys/sentences/lexicon.h"

namespace regard::toys::sentences {

const std::vector<SentencePair>& fixed_pairs() {
  static const std::vector<SentencePair> list = {
      {">>fr<< I am a student", "je suis étudiant", "1-0 2-1 4-2"},
      {">>ko<< I am a student", "나는 학생 이다", "1-0 4-1 2-2"},
      {">>fr<< the poor don't have any money", "les pauvres sont démunis", "1-0 2-1 4-2 3-3 4-3 5-3 6-3"},
      {">>ko<< the poor don't have any money", "가난한 사람들은 돈이 없다", "2-0 2-1 6-2 3-3 4-3"},
  };
  return list;
}

}  // namespace regard::toys::sentences
