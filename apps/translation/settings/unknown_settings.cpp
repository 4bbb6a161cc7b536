// What an unknown setting may have meant: a name from another program, or a similar name.
#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "apps/translation/settings/settings_description.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::translation {
namespace {

constexpr OtherNames names[] = {
    {"data.source and data.target", "train train_sets"},
    {"data.source", "src"},
    {"data.target", "trg tgt"},
    {"data.validation_source and data.validation_target", "dev valid valid_sets"},
    {"data.tokeniser", "level tokenizer tokenizer_type"},
    {"data.max_length", "max_sent_length src_seq_length max_source_positions max_target_positions"},
    {"data.joint_vocabulary", "share_vocab joined_dictionary"},
    {"data.vocabulary_size", "voc_limit src_vocab_size tgt_vocab_size dim_vocabs"},
    {"data.minimum_frequency", "voc_min_freq src_words_min_frequency tgt_words_min_frequency"},
    {"model.preset", "arch"},
    {"model.encoder_layers and model.decoder_layers", "num_layers layers num_hidden_layers"},
    {"model.encoder_layers", "enc_layers enc_depth num_encoder_layers"},
    {"model.decoder_layers", "dec_layers dec_depth num_decoder_layers"},
    {"model.heads",
     "num_heads nhead transformer_heads num_attention_heads encoder_attention_heads decoder_attention_heads"},
    {"model.d_model",
     "dim hidden_size embedding_dim word_vec_size dim_emb rnn_size encoder_embed_dim decoder_embed_dim"},
    {"model.d_ff",
     "ff_size transformer_ff transformer_dim_ffn dim_feedforward intermediate_size encoder_ffn_dim "
     "decoder_ffn_dim encoder_ffn_embed_dim decoder_ffn_embed_dim"},
    {"model.activation",
     "activation_fn activation_function pos_ffn_activation_fn transformer_ffn_activation"},
    {"model.norm", "layer_norm norm_first encoder_normalize_before decoder_normalize_before"},
    {"model.positions.kind", "position_encoding_type position_embedding_type"},
    {"model.positions.radius", "max_relative_positions"},
    {"model.positions.most", "max_position_embeddings"},
    {"model.shared_embeddings",
     "tied_embeddings tied_softmax tied_embeddings_all tie_word_embeddings share_embeddings "
     "share_all_embeddings "
     "share_decoder_embeddings share_decoder_input_output_embed"},
    {"model.dropout.attention", "attention_dropout transformer_dropout_attention"},
    {"model.dropout.feed_forward", "relu_dropout activation_dropout transformer_dropout_ffn"},
    {"model.dropout", "transformer_dropout"},
    {"training.learning_rate", "lr learn_rate"},
    {"training.schedule", "lr_scheduler lr_scheduler_type scheduling decay_method lr_decay_inv_sqrt"},
    {"training.warmup_steps", "warmup lr_warmup warmup_updates learning_rate_warmup"},
    {"training.minimum_learning_rate", "learning_rate_min"},
    {"training.batch_tokens, which counts tokens and not sentences",
     "batch_size mini_batch per_device_train_batch_size"},
    {"training.batch_tokens", "mini_batch_words max_tokens"},
    {"training.batch_tokens; batches are always counted in tokens", "batch_type"},
    {"training.accumulate",
     "batch_multiplier accum_count update_freq optimizer_delay gradient_accumulation_steps"},
    {"training.optimiser", "optim optimizer"},
    {"training.beta1 and training.beta2", "adam_betas betas"},
    {"training.beta1", "adam_beta1"},
    {"training.beta2", "adam_beta2"},
    {"training.beta1, training.beta2 and training.epsilon", "optimizer_params"},
    {"training.epsilon", "adam_eps adam_epsilon eps"},
    {"training.gradient_clip_norm", "clip_norm clip_grad_norm max_grad_norm"},
    {"training.steps", "updates train_steps max_update max_steps after_batches"},
    {"training.epochs", "max_epoch num_train_epochs after_epochs"},
    {"training.seed", "random_seed"},
    {"training.threads", "num_threads"},
    {"training.log_every", "logging_freq logging_steps report_every disp_freq log_interval"},
    {"training.average_decay; a smoothing of s is a decay of 1 - s", "exponential_smoothing"},
    {"training.initial_weights", "load_model train_from restore_file finetune_from_model pretrained_model"},
    {"training.freeze", "freeze_encoder freeze_decoder"},
    {"validation.every_steps", "validation_freq valid_steps valid_freq eval_steps validate_interval_updates"},
    {"validation.patience", "early_stopping"},
    {"validation.metric",
     "early_stopping_metric early_stopping_criteria early_stopping_on best_checkpoint_metric "
     "metric_for_best_model eval_metric"},
    {"checkpoints.save_every", "save_freq save_steps save_checkpoint_steps save_interval_updates"},
    {"checkpoints.keep_last", "keep_checkpoint keep_last_epochs save_total_limit"},
    {"checkpoints.keep_best", "keep_best_ckpts keep_best_checkpoints"},
    {"decoding.beam", "num_beams beam_size"},
    {"decoding.alpha", "beam_alpha lenpen normalize"},
    {"decoding.max_length", "max_output_length max_decoding_length max_new_tokens"},
    {"decoding.max_length_ratio", "max_len_a max_length_factor"},
    {"decoding.max_length_constant", "max_len_b"},
    {"decoding.min_length", "min_output_length min_decoding_length min_new_tokens min_len"},
    {"decoding.no_repeat_ngram", "no_repeat_ngram_size block_ngram_repeat"},
    {"decoding.generate_unk", "ban_unk_token disable_unk allow_unk"},
    {"regard has no weight decay; against overfitting, set model.dropout or training.label_smoothing",
     "weight_decay", false},
    {"gradients are clipped by their norm: training.gradient_clip_norm", "clip_grad_val", false},
    {"training.precision", "fp16 bf16 mixed_precision"},
    {"regard computes on the processor only", "use_cuda gpu_ranks devices", false},
    {"give the directory of the model on the command line: --out MODEL_DIR", "model_dir save_model save_dir",
     false},
    {"give --overwrite on the command line", "overwrite", false},
    {"give --n-best to regard translate, or n_best in Python",
     "n_best nbest num_return_sequences num_hypotheses", false},
    {"give --sample to regard translate", "do_sample", false},
    {"the same command resumes the training in its directory", "resume continue restore", false},
};

/// Values of settings in other programs and papers that mean the same as ours.
constexpr OtherNames value_names[] = {
    {"additive", "concat mlp bahdanau"},         {"general", "bilinear multiplicative luong"},
    {"scaled_dot", "scaled scaled_dot_product"}, {"inverse_sqrt", "inv_sqrt rsqrt"},
    {"sentencepiece", "bpe unigram subword"},    {"rotary", "rope"},
};

constexpr std::string_view called = "regard calls it ";

/// True if a list of names separated by blanks has this name, in which - and _ are equal.
bool has_name(std::string_view list, std::string_view key) {
  std::string name(key);
  std::ranges::replace(name, '-', '_');
  return !name.empty() && fmt::format(" {} ", list).find(" " + name + " ") != std::string::npos;
}

/// Returns a sentence about the setting of another program. Returns an empty text for a name that is not in
/// the list.
std::string about_other_name(std::string_view key) {
  for (const OtherNames& entry : names)
    if (has_name(entry.there, key)) return fmt::format("{}{}", entry.exists ? called : "", entry.here);
  return "";
}

/// The number of insertions, deletions and replacements that turn one text into the other (Levenshtein 1966).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // distances of a[0 .. i) to every b[0 .. j)
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

/// Returns the known setting whose name is most similar, or nothing if none is similar. It compares the keys
/// first and the sections second, so that a setting in the wrong section is found. The number of edits is
/// divided by the length of the longer key, because otherwise every short key would be near to every other
/// short key.
std::string nearest_setting(std::string_view place) {
  const auto [section, key] = section_and_key(place);
  const auto distance = [section = section, key = key](const KnownSetting& known) {
    const auto [known_section, known_key] = section_and_key(known.place);
    const auto edits = static_cast<double>(edit_distance(key, known_key));
    return std::pair(edits / static_cast<double>(std::max(key.size(), known_key.size())),
                     edit_distance(section, known_section));
  };
  const KnownSetting& nearest = std::ranges::min(known_settings(), {}, distance);
  return distance(nearest).first < 0.7 ? nearest.place : "";
}

}  // namespace

std::span<const OtherNames> other_names() { return names; }

std::string option_of(std::string_view place) {
  std::string name = fmt::format("--{}", section_and_key(place).second);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string about_other_value(std::string_view place, const Json& given, std::string_view allowed) {
  if (place == "decoding.length_penalty" && given.is_number())
    return fmt::format(
        "; a number is its exponent: set decoding.length_penalty to \"power\" and decoding.alpha to {}",
        given.dump());
  if (!given.is_string()) return "";
  const auto& value = given.get_ref<const std::string&>();
  for (const OtherNames& entry : value_names)
    if (has_name(entry.there, value) && allowed.find(fmt::format("\"{}\"", entry.here)) != std::string::npos)
      return fmt::format("; regard calls it {}", entry.here);
  return "";
}

std::string about_option(std::string_view option, const std::function<bool(const std::string&)>& has) {
  std::string about = about_other_name(option), place;
  for (const KnownSetting& setting : known_settings())
    if (about.empty() && !setting.section && has_name(section_and_key(setting.place).second, option))
      about = fmt::format("{}{}", called, setting.place);
  if (about.starts_with(called))
    place = about.substr(called.size(), about.find_first_of(" ;,", called.size()) - called.size());
  if (!place.empty() && has(option_of(place))) return fmt::format("; {}{}", called, option_of(place));
  if (about.empty() || !(has("--set") || about.find("regard translate") != std::string::npos)) return "";
  return place.empty() ? "; " + about : fmt::format("; {}: give --set {}=VALUE", about, place);
}

void fail_unknown_setting(const std::string& name, const std::string& place) {
  std::string help = about_other_name(section_and_key(place).second);
  if (help.empty()) {
    const std::string nearest = nearest_setting(place);
    help = nearest.empty() ? "regard train --print-config shows all settings"
                           : "the most similar one is " + nearest;
  }
  fail("{}: there is no setting {}; {}", name, printable(place), help);
}

}  // namespace regard::translation
