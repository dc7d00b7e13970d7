// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects that a program creates once and uses long after: NVTX domains, registered strings, names,
// payload schemas, counters, documents, and open start/end ranges. Created at any time, even before
// a capture; a recorder asks for those not yet in its trace. Domains and strings are never freed,
// because events point to them; each table has a size limit, and objects beyond it are counted. The
// program refers to both by handle (handle_table.hpp). Threads: any; each table has a mutex that is
// held for one lookup. A signal handler may make the same calls as program threads: the memory is
// mapped (mapped_memory.hpp), and signals are blocked while a mutex is held
// (signal_safe_mutex.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "collectors/core/events.hpp"
#include "collectors/core/handle_table.hpp"
#include "collectors/core/loss_counters.hpp"
#include "collectors/core/mapped_memory.hpp"
#include "collectors/core/signal_safe_mutex.hpp"
#include "libprof/model/records.hpp"

namespace prof::collectors {

/// A string that the program registered; the target of an nvtxStringHandle_t.
struct RegisteredString {
  std::uint32_t index = 0;  ///< Index in the table of strings.
  MappedString text;
  bool overflow = false;  ///< Replaces all strings that did not fit.
  // Used by the worker: the text's id in this session's trace.
  mutable std::uint32_t emitted_epoch = 0;
  mutable StringId emitted_id{};
};

/// Schema ids assigned by a tool start here (nvToolsExtPayload.h); ours count up from it.
inline constexpr std::uint64_t kFirstDynamicSchema = std::uint64_t{1} << 32;

/// A payload schema or enum as registered. Immutable, in a list that only grows.
struct PayloadSchema {
  /// An entry whose value the handler must read: text to copy, or the event's message.
  struct TextEntry {
    enum class How : std::uint8_t { kPointer, kEmbedded, kRegistered, kBytes };
    enum class Encoding : std::uint8_t { kUtf8, kUtf16, kUtf32 };
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;  ///< Size of embedded text, or of the pointed-to data.
    How how = How::kPointer;
    Encoding encoding = Encoding::kUtf8;
    bool message = false;
  };
  std::uint64_t id = 0;
  DomainId domain;
  MappedString name;
  MappedString fields_json;
  std::uint64_t static_bytes = 0;  ///< 0: unknown.
  bool pointers_not_kept = false;  ///< The schema points to data that is not copied.
  MappedVector<TextEntry> texts;
  const PayloadSchema* next = nullptr;  ///< The previously registered schema of its domain.
};

/// Counter ids assigned by a tool start here (nvToolsExtCounters.h).
inline constexpr std::uint64_t kFirstDynamicCounter = std::uint64_t{1} << 32;

/// A counter, or a group of them, as registered. Immutable, in a list that only grows.
struct Counter {
  std::uint64_t id = 0;
  std::uint64_t schema = 0;  ///< Schema of a sample, or a predefined type.
  const RegisteredString* name = nullptr;
  const Counter* next = nullptr;  ///< The previously registered counter of its domain.
};

/// See DocumentRecord. Immutable.
struct Document {
  MappedString kind, name, bytes;
  MappedString key;  ///< The kind, a zero byte, the name.
};

/// The target of an nvtxDomainHandle_t.
struct Domain {
  std::uint32_t index = 0;  ///< Index in the table of domains.
  DomainId id;
  MappedString name;
  std::atomic<const PayloadSchema*> schemas{nullptr};
  std::atomic<const Counter*> counters{nullptr};
};

/// An open start/end range.
struct OpenProcessRange {
  RangeId id = 0;
  ThreadId thread;
  std::int64_t start_ns = 0;
  Annotation annotation;
  MappedString text;
  std::uint32_t emitted_epoch = 0;  ///< The last session that recorded it as open; 0: none.
};

struct ProgramName {
  NameRecord::Kind kind = NameRecord::Kind::kOther;
  DomainId domain;
  std::uint64_t object = 0;
  MappedString text;
  std::uint64_t version = 0;
};

class ProgramObjects {
 public:
  /// Upper bound of domain ids, exclusive.
  static constexpr std::uint32_t kMaxDomainId = 65'536;

  explicit ProgramObjects(LossCounters& losses);
  ProgramObjects(const ProgramObjects&) = delete;
  ProgramObjects& operator=(const ProgramObjects&) = delete;

  [[nodiscard]] Domain& default_domain() noexcept { return *default_domain_; }
  /// Creates a domain, or revives a destroyed one of that name. Returns its handle; 0: there are
  /// too many.
  std::uint64_t create_domain(std::string_view name);
  /// False: `handle` is not that of an existing domain.
  bool destroy_domain(std::uint64_t handle);
  /// nullptr: not a handle of an existing domain. Lock-free.
  [[nodiscard]] Domain* find_domain(std::uint64_t handle) noexcept { return domains_.find(handle); }
  /// Also finds a destroyed domain: ranges of it may still be open.
  [[nodiscard]] Domain* find_domain_even_destroyed(std::uint64_t handle) noexcept {
    return domains_.find_even_retired(handle);
  }
  /// The handle of the string with that text; equal texts share one.
  std::uint64_t register_string(std::string_view text);
  /// nullptr: not a handle of a string. Lock-free.
  [[nodiscard]] const RegisteredString* find_string(std::uint64_t handle) noexcept {
    return strings_.find(handle);
  }
  void set_name(NameRecord::Kind kind, DomainId domain, std::uint64_t object,
                std::string_view text);
  void name_thread(std::uint32_t os_tid, std::string_view name);
  /// The name given to an OS thread by the program, or "".
  MappedString thread_name(std::uint32_t os_tid);
  /// Like thread_name(), and forgets it: the thread is gone, its number may be reused.
  MappedString take_thread_name(std::uint32_t os_tid);

  /// Adds a schema, assigning an id if schema.id is 0. Returns its id, 0 if there are too many.
  std::uint64_t add_schema(Domain& domain, PayloadSchema schema);
  [[nodiscard]] static const PayloadSchema* find_schema(const Domain& domain,
                                                        std::uint64_t id) noexcept;

  /// Adds a counter of that name, assigning an id if counter.id is 0. Returns its id, 0 if there
  /// are too many.
  std::uint64_t add_counter(Domain& domain, Counter counter, std::string_view name);
  /// Lock-free.
  [[nodiscard]] static const Counter* find_counter(const Domain& domain, std::uint64_t id) noexcept;

  /// Keeps a document for this capture and later ones. An existing document of that kind and name
  /// is kept.
  void add_document(std::string_view kind, std::string_view name, std::string_view bytes);

  void lock_all() noexcept;
  void unlock_all() noexcept;

  /// False: too many are open.
  bool open_range(OpenProcessRange range);
  /// Takes the range out; false: no such range is open.
  bool close_range(RangeId id, OpenProcessRange& out);

  // Used by the worker: objects registered since `seen`, which is advanced.
  MappedVector<const Domain*> domains_since(std::size_t& seen);
  MappedVector<const PayloadSchema*> schemas_since(std::size_t& seen);
  MappedVector<const Document*> documents_since(std::size_t& seen);
  MappedVector<ProgramName> names_since(std::uint64_t& seen);
  [[nodiscard]] std::uint64_t thread_names_version() const noexcept {
    return thread_names_version_.load(std::memory_order_acquire);
  }
  /// Open start/end ranges that session `epoch` has not recorded; they count as recorded from then
  /// on.
  MappedVector<OpenProcessRange> take_new_open_ranges(std::uint32_t epoch);
  /// The number of open start/end ranges that session `epoch` has recorded.
  std::uint64_t count_open_ranges(std::uint32_t epoch);

 private:
  static constexpr std::uint32_t kMaxDomains = kMaxDomainId - 1;
  static constexpr std::uint32_t kMaxStrings = 1U << 20;
  static constexpr std::size_t kMaxNames = 65'536;
  static constexpr std::size_t kMaxSchemas = 65'536;
  static constexpr std::size_t kMaxCounters = 4096;  // Samples search them linearly.
  static constexpr std::size_t kMaxStringBytes = 64 << 20;
  static constexpr std::size_t kMaxDocumentBytes = 256 << 20;
  static constexpr std::size_t kMaxOpenRangesPerShard = 65'536;
  static constexpr std::size_t kRangeShards = 16;

  struct NameKey {
    NameRecord::Kind kind;
    std::uint32_t domain;
    std::uint64_t object;
    bool operator==(const NameKey&) const = default;
  };
  struct NameKeyHash {
    std::size_t operator()(const NameKey& key) const noexcept;
  };
  struct RangeShard {
    SignalSafeMutex mutex;
    MappedMap<RangeId, OpenProcessRange> open;
  };

  LossCounters& losses_;
  SignalSafeMutex domains_mutex_;
  HandleTable<Domain, 0xd0, kMaxDomains> domains_;
  Domain* default_domain_;
  MappedMultimap<std::string_view, Domain*> destroyed_domains_;
  SignalSafeMutex strings_mutex_;
  HandleTable<RegisteredString, 0xd5, kMaxStrings> strings_;
  MappedMap<std::string_view, const RegisteredString*> strings_by_text_;
  const RegisteredString* overflow_string_;
  std::size_t string_bytes_ = 0;
  SignalSafeMutex names_mutex_;
  MappedVector<ProgramName> names_;
  MappedMap<NameKey, std::size_t, NameKeyHash> name_index_;
  std::uint64_t names_version_ = 0;
  MappedMap<std::uint32_t, MappedString> thread_names_;
  std::atomic<std::uint64_t> thread_names_version_{0};
  SignalSafeMutex schemas_mutex_;  // Also guards counters.
  MappedVector<const PayloadSchema*> schemas_;
  std::size_t counters_ = 0;
  SignalSafeMutex documents_mutex_;
  MappedVector<const Document*> documents_;
  MappedMap<std::string_view, const Document*> documents_by_key_;
  std::size_t document_bytes_ = 0;
  RangeShard range_shards_[kRangeShards];
};

}  // namespace prof::collectors
