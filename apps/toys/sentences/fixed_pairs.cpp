#include "apps/toys/sentences/lexicon.h"

namespace regard::toys::sentences {

const std::vector<SentencePair>& fixed_pairs() {
  static const std::vector<SentencePair> list = {
      {">>fr<< I am a student", "je suis étudiant"},
      {">>ko<< I am a student", "나는 학생 이다"},
      {">>fr<< the poor don't have any money", "les pauvres sont démunis"},
      {">>ko<< the poor don't have any money", "가난한 사람들은 돈이 없다"},
  };
  return list;
}

}  // namespace regard::toys::sentences
