// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/program_objects.hpp"

#include <memory>
#include <mutex>
#include <utility>

namespace prof::collectors {

std::size_t ProgramObjects::NameKeyHash::operator()(const NameKey& key) const noexcept {
  std::uint64_t hash = key.object * 0x9e3779b97f4a7c15U;
  hash ^= (std::uint64_t{key.domain} << 8) + static_cast<std::uint64_t>(key.kind);
  return hash * 0x9e3779b97f4a7c15U;
}

ProgramObjects::ProgramObjects(LossCounters& losses)
    : losses_(losses), default_domain_(domains_.add()) {
  default_domain_->id = kDefaultDomain;
  domains_.publish();
  RegisteredString* overflow = strings_.add();
  overflow->overflow = true;
  strings_.publish();
  overflow_string_ = overflow;
}

std::uint64_t ProgramObjects::create_domain(std::string_view name) {
  const std::lock_guard lock(domains_mutex_);
  if (const auto found = destroyed_domains_.find(name); found != destroyed_domains_.end()) {
    const Domain& domain = *found->second;
    destroyed_domains_.erase(found);
    return domains_.handle_of(domain);
  }
  Domain* domain = domains_.add();
  if (domain == nullptr) {
    losses_.add(Loss::kNvtxCallNotKept);
    return 0;
  }
  domain->id = DomainId{domain->index + 1};
  domain->name = name;
  domains_.publish();
  return domains_.handle_of(*domain);
}

bool ProgramObjects::destroy_domain(std::uint64_t handle) {
  const std::lock_guard lock(domains_mutex_);
  Domain* domain = domains_.find(handle);
  if (domain == nullptr || domain == default_domain_) return false;
  destroyed_domains_.emplace(domain->name, domain);
  domains_.retire(*domain);
  return true;
}

std::uint64_t ProgramObjects::register_string(std::string_view text) {
  const std::lock_guard lock(strings_mutex_);
  if (const auto found = strings_by_text_.find(text); found != strings_by_text_.end()) {
    return strings_.handle_of(*found->second);
  }
  const std::size_t cost = text.size() + sizeof(RegisteredString) + 64;
  RegisteredString* string = string_bytes_ + cost > kMaxStringBytes ? nullptr : strings_.add();
  if (string == nullptr) {
    losses_.add(Loss::kStringTableFull);
    return strings_.handle_of(*overflow_string_);
  }
  string_bytes_ += cost;
  string->text = text;
  strings_by_text_.emplace(string->text, string);
  strings_.publish();
  return strings_.handle_of(*string);
}

void ProgramObjects::set_name(NameRecord::Kind kind, DomainId domain, std::uint64_t object,
                              std::string_view text) {
  const std::lock_guard lock(names_mutex_);
  const NameKey key{kind, domain.value, object};
  if (const auto found = name_index_.find(key); found != name_index_.end()) {
    ProgramName& name = names_[found->second];
    if (name.text == text) return;
    name.text = text;
    name.version = ++names_version_;
    return;
  }
  if (names_.size() == kMaxNames) {
    losses_.add(Loss::kNvtxCallNotKept);
    return;
  }
  name_index_.emplace(key, names_.size());
  names_.push_back({kind, domain, object, MappedString(text), ++names_version_});
}

void ProgramObjects::name_thread(std::uint32_t os_tid, std::string_view name) {
  const std::lock_guard lock(names_mutex_);
  if (thread_names_.size() == kMaxNames && !thread_names_.contains(os_tid)) {
    losses_.add(Loss::kNvtxCallNotKept);
    return;
  }
  thread_names_[os_tid] = name;
  thread_names_version_.fetch_add(1, std::memory_order_release);
}

MappedString ProgramObjects::thread_name(std::uint32_t os_tid) {
  const std::lock_guard lock(names_mutex_);
  const auto found = thread_names_.find(os_tid);
  return found == thread_names_.end() ? MappedString() : found->second;
}

MappedString ProgramObjects::take_thread_name(std::uint32_t os_tid) {
  const std::lock_guard lock(names_mutex_);
  const auto node = thread_names_.extract(os_tid);
  return node.empty() ? MappedString() : std::move(node.mapped());
}

std::uint64_t ProgramObjects::add_schema(Domain& domain, PayloadSchema schema) {
  const std::lock_guard lock(schemas_mutex_);
  if (schemas_.size() == kMaxSchemas) {
    losses_.add(Loss::kNvtxCallNotKept);
    return 0;
  }
  auto* added = make_mapped<PayloadSchema>(std::move(schema));
  if (added->id == 0) added->id = kFirstDynamicSchema + schemas_.size();
  added->domain = domain.id;
  added->next = domain.schemas.load(std::memory_order_relaxed);
  schemas_.push_back(added);
  domain.schemas.store(added, std::memory_order_release);
  return added->id;
}

const PayloadSchema* ProgramObjects::find_schema(const Domain& domain, std::uint64_t id) noexcept {
  const PayloadSchema* schema = domain.schemas.load(std::memory_order_acquire);
  while (schema != nullptr && schema->id != id) schema = schema->next;
  return schema;
}

std::uint64_t ProgramObjects::add_counter(Domain& domain, Counter counter, std::string_view name) {
  const RegisteredString* registered = strings_.find(register_string(name));
  const std::lock_guard lock(schemas_mutex_);
  if (counters_ == kMaxCounters) {
    losses_.add(Loss::kNvtxCallNotKept);
    return 0;
  }
  if (counter.id == 0) counter.id = kFirstDynamicCounter + counters_;
  counter.name = registered;
  counter.next = domain.counters.load(std::memory_order_relaxed);
  domain.counters.store(make_mapped<Counter>(counter), std::memory_order_release);
  ++counters_;
  return counter.id;
}

const Counter* ProgramObjects::find_counter(const Domain& domain, std::uint64_t id) noexcept {
  const Counter* counter = domain.counters.load(std::memory_order_acquire);
  while (counter != nullptr && counter->id != id) counter = counter->next;
  return counter;
}

void ProgramObjects::add_document(std::string_view kind, std::string_view name,
                                  std::string_view bytes) {
  MappedString key(kind);
  key += '\0';
  key += name;
  const std::lock_guard lock(documents_mutex_);
  if (documents_by_key_.contains(key)) return;
  if (document_bytes_ + bytes.size() > kMaxDocumentBytes) {
    losses_.add(Loss::kDocumentNotKept);
    return;
  }
  document_bytes_ += bytes.size();
  auto* const added = make_mapped<Document>(
      Document{MappedString(kind), MappedString(name), MappedString(bytes), std::move(key)});
  documents_.push_back(added);
  documents_by_key_.emplace(added->key, added);
}

void ProgramObjects::lock_all() noexcept {
  domains_mutex_.lock();
  strings_mutex_.lock();
  names_mutex_.lock();
  schemas_mutex_.lock();
  documents_mutex_.lock();
  for (RangeShard& shard : range_shards_) shard.mutex.lock();
}

void ProgramObjects::unlock_all() noexcept {
  for (RangeShard& shard : range_shards_) shard.mutex.unlock();
  documents_mutex_.unlock();
  schemas_mutex_.unlock();
  names_mutex_.unlock();
  strings_mutex_.unlock();
  domains_mutex_.unlock();
}

bool ProgramObjects::open_range(OpenProcessRange range) {
  RangeShard& shard = range_shards_[range.id % kRangeShards];
  const std::lock_guard lock(shard.mutex);
  if (shard.open.size() == kMaxOpenRangesPerShard) return false;
  const RangeId id = range.id;
  shard.open.emplace(id, std::move(range));
  return true;
}

bool ProgramObjects::close_range(RangeId id, OpenProcessRange& out) {
  RangeShard& shard = range_shards_[id % kRangeShards];
  const std::lock_guard lock(shard.mutex);
  auto node = shard.open.extract(id);
  if (node.empty()) return false;
  out = std::move(node.mapped());
  return true;
}

MappedVector<const Domain*> ProgramObjects::domains_since(std::size_t& seen) {
  MappedVector<const Domain*> fresh;
  const std::uint32_t size = domains_.size();
  fresh.reserve(size - seen);
  while (seen < size) fresh.push_back(&domains_.at(static_cast<std::uint32_t>(seen++)));
  return fresh;
}

MappedVector<const PayloadSchema*> ProgramObjects::schemas_since(std::size_t& seen) {
  const std::lock_guard lock(schemas_mutex_);
  MappedVector<const PayloadSchema*> fresh(schemas_.begin() + static_cast<std::ptrdiff_t>(seen),
                                           schemas_.end());
  seen = schemas_.size();
  return fresh;
}

MappedVector<const Document*> ProgramObjects::documents_since(std::size_t& seen) {
  const std::lock_guard lock(documents_mutex_);
  MappedVector<const Document*> fresh(documents_.begin() + static_cast<std::ptrdiff_t>(seen),
                                      documents_.end());
  seen = documents_.size();
  return fresh;
}

MappedVector<ProgramName> ProgramObjects::names_since(std::uint64_t& seen) {
  const std::lock_guard lock(names_mutex_);
  MappedVector<ProgramName> fresh;
  if (seen == names_version_) return fresh;
  for (const ProgramName& name : names_) {
    if (name.version > seen) fresh.push_back(name);
  }
  seen = names_version_;
  return fresh;
}

MappedVector<OpenProcessRange> ProgramObjects::take_new_open_ranges(std::uint32_t epoch) {
  MappedVector<OpenProcessRange> found;
  for (RangeShard& shard : range_shards_) {
    const std::lock_guard lock(shard.mutex);
    for (auto& [id, range] : shard.open) {
      if (range.emitted_epoch == epoch) continue;
      range.emitted_epoch = epoch;
      found.push_back(range);
    }
  }
  return found;
}

std::uint64_t ProgramObjects::count_open_ranges(std::uint32_t epoch) {
  std::uint64_t count = 0;
  for (RangeShard& shard : range_shards_) {
    const std::lock_guard lock(shard.mutex);
    for (const auto& [id, range] : shard.open) count += range.emitted_epoch == epoch ? 1U : 0U;
  }
  return count;
}

}  // namespace prof::collectors
