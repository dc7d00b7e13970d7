// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A manual page in the macros of man(7), which man, groff and mandoc understand.
#include <algorithm>
#include <cctype>

#include "tools/manual/forms.hpp"
#include "tools/manual/texts.hpp"

namespace prof::manuals {
namespace {

using tools::Manual;
using tools::ManualOption;
using tools::ManualSection;
using tools::Word;

constexpr std::size_t kLineLength = 80;

/// A '-' stands for itself, not for a hyphen: options can be copied.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else {
      if (c == '-') result += '\\';
      result += c;
    }
  }
  return result;
}

/// Lines of text. What begins with '.' or "'" would be a request.
std::string lines(const std::string& text) {
  std::string result;
  std::size_t length = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const bool fits = length + 1 + word.size() <= kLineLength;
    if (length > 0) result += fits ? ' ' : '\n';
    length = length > 0 && fits ? length + 1 : 0;
    if (length == 0 && (word.starts_with('.') || word.starts_with('\''))) result += "\\&";
    result += word;
    length += word.size();
    begin = end + 1;
  }
  return result + "\n";
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

/// "prints it" -> "Prints it.". Not empty.
std::string as_sentence(std::string_view text) {
  std::string result(text);
  result.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(result.front())));
  return result.ends_with('.') ? result : result + ".";
}

/// "Prints it." -> "prints it".
std::string as_phrase(std::string_view text) {
  std::string result(text);
  result.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(result.front())));
  if (result.ends_with('.')) result.pop_back();
  return result;
}

void append_option(const ManualOption& option, std::string& text) {
  text += ".TP\n";
  std::string flags;
  for (const std::string& flag : option.flags) {
    flags.append(flags.empty() ? "" : ", ").append(bold(flag));
  }
  text += flags;
  if (!option.type.empty()) text += " " + italic(option.type);
  text += "\n" + lines(plain(as_sentence(option.help)));
  if (option.is_repeatable) text += "May be repeated.\n";
}

void append_section(const ManualSection& section, std::string& text) {
  text += ".SH " + plain(section.title) + "\n";
  bool is_first = true;
  for (const Word& entry : section.entries) {
    if (!entry.help.empty()) {
      text += ".TP\n" + bold(entry.text) + "\n" + lines(plain(as_sentence(entry.help)));
    } else {
      text += (is_first ? "" : ".PP\n") + lines(plain(entry.text));
    }
    is_first = false;
  }
}

}  // namespace

std::string man_page(const Manual& manual) {
  const std::string name = plain(manual.program);
  std::string text = ".\\\" Made from the program's own description of its options.\n.TH " +
                     plain(upper(manual.program)) +
                     " 1 \"\" \"libprof " PROF_VERSION_STRING "\" \"libprof\"\n";
  text += ".SH NAME\n" + lines(name + " \\- " + plain(as_phrase(manual.brief)));
  text += ".SH SYNOPSIS\n" + bold(manual.program) + " " + plain(manual.arguments) + "\n";
  text += ".SH OPTIONS\n";
  for (const ManualOption& option : manual.options) append_option(option, text);
  for (const ManualSection& section : manual.sections) append_section(section, text);
  return text;
}

}  // namespace prof::manuals
