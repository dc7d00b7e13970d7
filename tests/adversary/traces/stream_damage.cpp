// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <array>
#include <string_view>

#include "tests/adversary/traces/damage.hpp"

namespace prof::adversary {
namespace {

constexpr std::string_view kNumbers[] = {"0",
                                         "-1",
                                         "1000000000",
                                         "4294967295",
                                         "4294967296",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "18446744073709551615",
                                         "1e400",
                                         "0.5",
                                         "null",
                                         "\"x\"",
                                         "[]",
                                         "{}",
                                         "true"};

std::size_t line_at(const std::string& text, Random& random) {
  const std::size_t end = text.find('\n', random.below(text.size()));
  return end == std::string::npos ? 0 : end + 1;
}

std::string_view line_from(const std::string& text, std::size_t begin) {
  return std::string_view(text).substr(begin, text.find('\n', begin) + 1 - begin);
}

/// A number of a line becomes another.
void change_number(std::string& text, Random& random) {
  const std::size_t colon = text.find(':', line_at(text, random));
  if (colon == std::string::npos) return;
  std::size_t begin = text.find_first_of("0123456789-", colon);
  for (std::size_t skip = random.below(6); skip > 0 && begin != std::string::npos; --skip) {
    const std::size_t next = text.find(':', begin);
    if (next == std::string::npos) break;
    begin = text.find_first_of("0123456789-", next);
  }
  if (begin == std::string::npos) return;
  const std::size_t end = text.find_first_not_of("0123456789-", begin);
  text.replace(begin, end - begin, random.one_of(kNumbers));
}

}  // namespace

std::string damage_stream(std::string& text, Random& random) {
  for (std::size_t i = 1 + random.below(20); i > 0 && !text.empty(); --i) {
    const std::size_t at = line_at(text, random);
    switch (random.below(10)) {
      case 0:
        text.insert(at, std::string(line_from(text, line_at(text, random))));
        break;
      case 1:
        text.erase(at, line_from(text, at).size());
        break;
      case 2:
        text[random.below(text.size())] = static_cast<char>(random.number());
        break;
      case 3:
        if (random.one_in(20)) text.resize(random.below(text.size()));
        break;
      case 4:
        if (random.one_in(20)) text.insert(at, std::string(random.below(5'000'000), '\n'));
        break;
      case 5:
        if (random.one_in(20)) text.insert(at, std::string(random.below(20'000'000), '['));
        break;
      default:
        change_number(text, random);
    }
  }
  return "a stream";
}

std::string decompress(const std::string& path) {
  std::string text;
  const gzFile file = gzopen(path.c_str(), "rb");
  std::array<char, 65536> piece{};
  for (int got = 0; file != nullptr && (got = gzread(file, piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  if (file != nullptr) gzclose(file);
  return text;
}

std::string compress(const std::string& text, Random& random) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return text;
  }
  std::string out(deflateBound(&stream, text.size()), '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (random.one_in(4)) out[random.below(out.size())] = static_cast<char>(random.number());
  if (random.one_in(4)) out.resize(random.below(out.size()));
  return out;
}

}  // namespace prof::adversary
