// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/store/http_engine.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include "tools/fleet/store/curl_library.hpp"

namespace prof::fleet {
namespace {

constexpr long kConnectSeconds = 10;
/// A server that sends nothing for so long is gone; a statement may take longer as a whole.
constexpr long kSilentSeconds = 300;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

/// The outcome of one attempt.
struct Outcome {
  Status status;
  bool may_try_again = false;
};

class HttpEngine final : public Engine {
 public:
  HttpEngine(Server server, const CurlLibrary& library, CURL* curl)
      : server_(std::move(server)), library_(library), curl_(curl) {}
  ~HttpEngine() override { library_.easy_cleanup(curl_); }

  Status query(const std::string& sql, const TakeBytes& take) override {
    // A statement of a FORMAT reads; after a first piece of its answer it cannot begin again.
    return with_attempts(*this, [&] { return once({}, sql, take); });
  }
  Status insert(const std::string& statement, std::string_view rows) override {
    // Whether rows of a lost answer are stored is not known: who inserts decides.
    return once(statement + " FORMAT RowBinary", rows, [](std::string_view) { return true; });
  }
  [[nodiscard]] bool was_lost() const override { return was_lost_; }
  [[nodiscard]] std::string name() const override { return server_.url; }

 private:
  Status once(const std::string& words, std::string_view body, const TakeBytes& take) {
    Outcome outcome = post(words, body, take);
    was_lost_ = outcome.may_try_again;
    return outcome.status;
  }
  /// `words` go into the URL, `body` follows.
  Outcome post(const std::string& words, std::string_view body, const TakeBytes& take);
  [[nodiscard]] Outcome outcome_of(CURLcode code) const;

  Server server_;
  CurlLibrary library_;
  CURL* curl_;
  bool was_lost_ = false;
};

/// Where the bytes of an answer go: to who asked, or, of a refusal, into its message.
struct Receiver {
  const CurlLibrary& library;
  CURL* curl;
  const TakeBytes& take;
  std::string refusal = {};
  std::size_t taken = 0;
  bool stopped = false;

  [[nodiscard]] long status() const {
    long code = 0;
    library.easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
    return code;
  }
};

std::size_t receive(char* bytes, std::size_t size, std::size_t count, void* to) {
  auto& receiver = *static_cast<Receiver*>(to);
  const std::string_view piece(bytes, size * count);
  if (receiver.status() != 200) {
    constexpr std::size_t kMost = std::size_t{1} << 16;
    if (receiver.refusal.size() < kMost) receiver.refusal += piece;
    return piece.size();
  }
  receiver.taken += piece.size();
  receiver.stopped = !receiver.take(piece);
  return receiver.stopped ? 0 : piece.size();
}

Outcome HttpEngine::outcome_of(CURLcode code) const {
  const std::string what = library_.easy_strerror(code);
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
      return {Error{what, server_.url, "is the server running, and is this its HTTP port?"}, true};
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return {Error{what, server_.url, "name its authority's certificate in PROF_FLEET_CA"}, false};
    default:
      return {Error{what, server_.url, {}}, false};
  }
}

Outcome HttpEngine::post(const std::string& words, std::string_view body, const TakeBytes& take) {
  // Errors come before the first byte of an answer, not in its midst.
  std::string url = server_.url + "/?wait_end_of_query=1";
  if (!words.empty()) {
    // Into a table over several servers: they have the rows before the answer comes.
    url += "&insert_distributed_sync=1";
    char* const escaped = library_.easy_escape(curl_, words.data(), static_cast<int>(words.size()));
    url.append("&query=").append(escaped);
    library_.free(escaped);
  }
  Receiver receiver{.library = library_, .curl = curl_, .take = take};
  curl_slist* const headers = library_.slist_append(nullptr, "Expect:");
  library_.easy_reset(curl_);
  library_.easy_setopt(curl_, CURLOPT_URL, url.c_str());
  library_.easy_setopt(curl_, CURLOPT_PROTOCOLS_STR, "http,https");
  library_.easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
  library_.easy_setopt(curl_, CURLOPT_HTTPHEADER, headers);
  library_.easy_setopt(curl_, CURLOPT_POST, 1L);
  library_.easy_setopt(curl_, CURLOPT_POSTFIELDS, body.data());
  library_.easy_setopt(curl_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  library_.easy_setopt(curl_, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  library_.easy_setopt(curl_, CURLOPT_LOW_SPEED_LIMIT, 1L);
  library_.easy_setopt(curl_, CURLOPT_LOW_SPEED_TIME, kSilentSeconds);
  library_.easy_setopt(curl_, CURLOPT_WRITEFUNCTION, receive);
  library_.easy_setopt(curl_, CURLOPT_WRITEDATA, &receiver);
  if (!server_.user.empty()) {
    library_.easy_setopt(curl_, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
    library_.easy_setopt(curl_, CURLOPT_USERNAME, server_.user.c_str());
    library_.easy_setopt(curl_, CURLOPT_PASSWORD, server_.password.c_str());
  }
  if (!server_.authority.empty()) {
    library_.easy_setopt(curl_, CURLOPT_CAINFO, server_.authority.c_str());
  }
  const CURLcode code = library_.easy_perform(curl_);
  library_.slist_free_all(headers);
  if (receiver.stopped) return {};
  if (code != CURLE_OK) {
    Outcome outcome = outcome_of(code);
    outcome.may_try_again = outcome.may_try_again && receiver.taken == 0;
    return outcome;
  }
  const long status = receiver.status();
  if (status == 200) return {};
  if (receiver.refusal.starts_with("Code: ")) {
    const bool is_password = status == 401 || status == 403 ||
                             receiver.refusal.find("assword") < receiver.refusal.size();
    return {Error{one_line(receiver.refusal), server_.url,
                  is_password ? "set PROF_FLEET_USER and PROF_FLEET_PASSWORD" : ""},
            false};
  }
  // A proxy's answer, or another program's.
  return {Error{fmt::format("answers with HTTP status {}", status), server_.url,
                "is this a ClickHouse server's HTTP port?"},
          status >= 500};
}

Status read_credentials(const std::string& path, Server& server) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) {
    return Error{"cannot be read", path, "PROF_FLEET_CREDENTIALS names it"};
  }
  if ((facts.st_mode & 077U) != 0) {
    return Error{"others can read the password in it", path, "chmod 600 it"};
  }
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::size_t colon = line.find(':');
  if (colon >= line.size()) return Error{"has no USER:PASSWORD in its first line", path, {}};
  server.user = line.substr(0, colon);
  server.password = line.substr(colon + 1);
  return {};
}

}  // namespace

Result<Server> server_of(const std::string& url) {
  const std::size_t host = url.find("://") + 3;
  const std::size_t path = std::min(url.find('/', host), url.size());
  if (url.find('@', host) < path) {
    return Error{"a password in a URL can be seen by others", url.substr(0, host) + "...",
                 "set PROF_FLEET_USER and PROF_FLEET_PASSWORD"};
  }
  if (path == host || url.substr(path).find_first_not_of('/') < url.size()) {
    return Error{"is no server", url, "it is written http://HOST:8123"};
  }
  Server server{.url = url.substr(0, path),
                .user = variable("PROF_FLEET_USER"),
                .password = variable("PROF_FLEET_PASSWORD"),
                .authority = variable("PROF_FLEET_CA")};
  const std::string credentials = variable("PROF_FLEET_CREDENTIALS");
  if (server.user.empty() && !credentials.empty()) {
    PROF_TRY(read_credentials(credentials, server));
  }
  return server;
}

Result<std::unique_ptr<Engine>> open_server(Server server) {
  const auto library = load_curl();
  if (!library) return library.error();
  CURL* const curl = library->easy_init();
  if (curl == nullptr) return Error{"libcurl cannot start", server.url, {}};
  std::unique_ptr<Engine> engine = std::make_unique<HttpEngine>(std::move(server), *library, curl);
  PROF_TRY(engine->execute("SELECT 1 FORMAT Null"));
  return engine;
}

}  // namespace prof::fleet
