// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/facts/plain_names.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "libprof/base/ascii.hpp"
#include "libprof/base/word_list.hpp"

namespace prof {
namespace {

constexpr std::string_view kGradient = "grad grads gradient gradients";
/// State that programs also update but that is not a parameter.
constexpr std::string_view kOtherState =
    "lr learning rate schedule scheduler cache kv input inputs position positions index indices "
    "mask metric metrics stat stats statistics running progress queue table tables graph scale";

/// Words that say a pass, and phrases of two words that say another one or none.
struct Phrase {
  std::string_view first;
  std::string_view then;  ///< Empty: one word.
  Direction says = Direction::kNone;
  bool is_weak = false;  ///< Says it unless the rest of the name says something.
};

/// The first that fits at a word counts. Phrases come before their words.
constexpr Phrase kPhrases[] = {
    {"feed fast", "forward", Direction::kNone},
    {"forward backward", "declare declaration compatible compatibility", Direction::kNone},
    {"no requires enable", kGradient, Direction::kNone},
    {kGradient, "checkpoint checkpointing accum accumulation enabled", Direction::kNone},
    // As conventions.md has it, clipping and zeroing gradients is part of the optimizer's work. The
    // gradient of a norm ("layer_norm_grad") is not.
    {kGradient, "norm norms clip clipping clipped scaler", Direction::kUpdate},
    {"clip zero unscale scale", kGradient, Direction::kUpdate},
    {"update", kOtherState, Direction::kNone},
    {kOtherState, "update", Direction::kNone},
    {"forward fwd fprop", {}, Direction::kFprop},
    {"backward backwards bwd bprop backprop backpropagation dgrad wgrad bgrad",
     {},
     Direction::kBprop},
    {"update optimizer optimizers optim sgd adam adamw adamax nadam radam adagrad adadelta "
     "adafactor rmsprop lamb lars lion muon shampoo lbfgs",
     {},
     Direction::kUpdate},
    {kGradient, {}, Direction::kBprop, true},
};

/// Say where and when something runs, not what it computes.
constexpr std::string_view kOfNoOperation =
    // passes
    "forward fwd fprop backward backwards bwd bprop backprop backpropagation grad grads gradient "
    "gradients update optimizer optimizers optim pass phase "
    // parts of a model
    "layer layers block blocks stage stages level levels module modules model network net "
    // parts of a run
    "step steps iteration iterations iter iters epoch epochs batch batches microbatch minibatch "
    "micro mini train training trainer test testing eval evaluate evaluation val validate "
    "validation infer inference predict prediction generate generation warmup warm up run loop "
    "main start end begin total all whole work compute benchmark bench profile profiling region "
    "section range gpu cuda device kernel kernels launch stream graph capture replay "
    "a and for in of the to with";

bool is_of_name(char c) { return is_letter(c) || is_of_other_script(c); }

/// In lower case, without signs and digits.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  bool begins = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_of_name(c)) {
      begins = true;
      continue;
    }
    const bool ends_acronym = i + 1 < name.size() && is_lower(name[i + 1]);  // "GELUBackward"
    if (begins || (is_upper(c) && (!is_upper(name[i - 1]) || ends_acronym))) words.emplace_back();
    words.back() += lower(c);
    begins = false;
  }
  return words;
}

/// The information that one name gives.
struct Said {
  bool is_silent = true;
  /// kNone for a name that is not silent: it names several.
  Direction direction = Direction::kNone;
};

bool fits(const Phrase& phrase, const std::vector<std::string>& words, std::size_t at) {
  if (!has_word(phrase.first, words[at])) return false;
  return phrase.then.empty() || (at + 1 < words.size() && has_word(phrase.then, words[at + 1]));
}

Said pass_in(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  Said strong, weak;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const auto* const phrase =
        std::ranges::find_if(kPhrases, [&](const Phrase& one) { return fits(one, words, at); });
    if (phrase == std::end(kPhrases)) continue;
    if (!phrase->then.empty()) ++at;
    if (phrase->says == Direction::kNone) continue;
    Said& said = phrase->is_weak ? weak : strong;
    const bool differs = !said.is_silent && said.direction != phrase->says;
    said = {.is_silent = false, .direction = differs ? Direction::kNone : phrase->says};
  }
  if (strong.is_silent) return weak;
  // An optimizer takes gradients; "forward_grad" may be either.
  if (!weak.is_silent && strong.direction == Direction::kFprop) return {.is_silent = false};
  return strong;
}

/// Takes the last name off the path.
std::string_view take_last(std::string_view& path) {
  const std::size_t colon = path.rfind(':');
  const std::string_view name = colon == std::string_view::npos ? path : path.substr(colon + 1);
  path = colon == std::string_view::npos ? std::string_view() : path.substr(0, colon);
  return name;
}

/// The innermost name that says something; the path is then what is around it.
Said innermost_pass(std::string_view& path) {
  while (!path.empty()) {
    const Said said = pass_in(take_last(path));
    if (!said.is_silent) return said;
  }
  return {};
}

}  // namespace

NamedPass named_pass(std::string_view path, std::string_view innermost) {
  Said said = pass_in(innermost);
  if (said.is_silent) said = innermost_pass(path);
  if (said.direction != Direction::kFprop) return {said.direction};
  while (!path.empty()) {
    const Said around = innermost_pass(path);
    if (around.is_silent || around.direction == Direction::kFprop) continue;
    if (around.direction == Direction::kBprop) return {Direction::kBprop, true};
    break;
  }
  return {Direction::kFprop};
}

std::string operation_of(std::string_view name) {
  std::string made;
  for (std::size_t at = 0; at < name.size();) {
    std::size_t end = at;
    while (end < name.size() && is_digit(name[end])) ++end;
    const bool stands_alone = end != at && (at == 0 || !is_of_name(name[at - 1])) &&
                              (end == name.size() || !is_of_name(name[end]));
    if (end == at) ++end;
    made += stands_alone ? std::string_view("*") : name.substr(at, end - at);
    at = end;
  }
  return made;
}

bool names_operation(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  return std::ranges::any_of(
      words, [](const std::string& word) { return !has_word(kOfNoOperation, word); });
}

}  // namespace prof
