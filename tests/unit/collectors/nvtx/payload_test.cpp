// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NVTX's payload extension, and the extensions that are only counted.
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtMem.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <sys/mman.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "tests/unit/collectors/nvtx/capture_fixture.hpp"

namespace prof::collectors {
namespace {

class NvtxPayload : public CaptureTest {
 protected:
  static std::uint64_t add_schema(std::vector<nvtxPayloadSchemaEntry_t> entries, std::size_t size,
                                  const char* name = "schema",
                                  nvtxDomainHandle_t domain = nullptr) {
    nvtxPayloadSchemaAttr_t attributes{};
    attributes.fieldMask =
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    attributes.name = name;
    attributes.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    attributes.entries = entries.data();
    attributes.numEntries = entries.size();
    attributes.payloadStaticSize = size;
    return nvtxPayloadSchemaRegister(domain, &attributes);
  }
  static nvtxPayloadSchemaEntry_t entry(std::uint64_t type, const char* name,
                                        std::uint64_t flags = 0, std::uint64_t detail = 0,
                                        std::uint64_t offset = 0) {
    return {flags, type, name, nullptr, detail, offset, nullptr, nullptr};
  }
  const CollectingSink::Schema* schema(std::uint64_t id) {
    for (const auto& one : sink->schemas) {
      if (one.record.schema == id) return &one;
    }
    return nullptr;
  }
  static std::uint64_t word(const std::string& bytes, std::size_t offset) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  }
};

TEST_F(NvtxPayload, ARangesPayloadIsKeptWithItsSchema) {
  struct Broadcast {
    std::uint64_t comm;
    std::int32_t rank;
    double size;
  } data{0x1122334455667788, -3, 2.5};
  const std::uint64_t id = add_schema({entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "comm"),
                                       entry(NVTX_PAYLOAD_ENTRY_TYPE_INT32, "ra\"nk\xff"),
                                       entry(NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, nullptr)},
                                      sizeof data, "Broadcast");
  ASSERT_NE(id, 0U);
  start();
  nvtxPayloadData_t payload{id, sizeof data, &data};
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = "ncclBroadcast";
  NVTX_PAYLOAD_EVTATTR_SET_DATA(event, &payload, id, &data, sizeof data)
  nvtxRangePushEx(&event);
  nvtxRangePop();
  nvtxMarkEx(&event);
  stop_clean();
  ASSERT_NE(schema(id), nullptr);
  EXPECT_EQ(schema(id)->name, "Broadcast");
  EXPECT_EQ(
      schema(id)->fields,
      R"([{"name":"comm","type":"uint64","offset":0,"array":0,"flags":0},)"
      "{\"name\":\"ra\\\"nk\xef\xbf\xbd\",\"type\":\"int32\",\"offset\":8,\"array\":0,\"flags\":0},"
      R"({"name":"","type":"double","offset":16,"array":0,"flags":0}])");
  ASSERT_EQ(sink->blobs.size(), 2U);
  EXPECT_EQ(sink->blobs[0].record.range, only("ncclBroadcast").record.id);
  EXPECT_EQ(sink->blobs[0].record.schema, id);
  EXPECT_EQ(sink->blobs[0].bytes, std::string(reinterpret_cast<const char*>(&data), sizeof data));
  EXPECT_EQ(sink->blobs[1].record.range, 0U) << "of the mark";
}

TEST_F(NvtxPayload, TextsAndArraysThatAPayloadPointsToAreCopied) {
  struct Data {
    const char* text;
    nvtxStringHandle_t registered;
    const std::int32_t* dims;
    const char16_t* wide;
    const char* nothing;
  };
  const std::int32_t dims[3] = {4, 5, 6};
  Data data{"pointed to", nvtxDomainRegisterStringA(nullptr, "by handle"), dims,
            u"\u00e9\U0001f600", nullptr};
  const std::uint64_t id = add_schema(
      {entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text"),
       entry(NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE, "registered"),
       entry(NVTX_PAYLOAD_ENTRY_TYPE_INT32, "dims",
             NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE |
                 NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY,
             3),
       entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16, "wide", NVTX_PAYLOAD_ENTRY_FLAG_POINTER),
       entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8, "nothing")},
      sizeof data);
  start();
  nvtxPayloadData_t payload{id, std::numeric_limits<std::size_t>::max(), &data};
  nvtxMarkPayload(nullptr, &payload, 1);
  stop_clean();
  ASSERT_EQ(sink->blobs.size(), 1U);
  const std::string& bytes = sink->blobs[0].bytes;
  ASSERT_GT(bytes.size(), sizeof data);
  EXPECT_STREQ(bytes.c_str() + word(bytes, offsetof(Data, text)), "pointed to");
  EXPECT_STREQ(bytes.c_str() + word(bytes, offsetof(Data, registered)), "by handle");
  EXPECT_EQ(std::memcmp(bytes.data() + word(bytes, offsetof(Data, dims)), dims, sizeof dims), 0);
  EXPECT_STREQ(bytes.c_str() + word(bytes, offsetof(Data, wide)), "\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_EQ(word(bytes, offsetof(Data, nothing)), 0U);
  EXPECT_NE(
      schema(id)->fields.find(
          R"("name":"text","type":"cstring","offset":0,"array":0,"flags":0,"stored":"offset")"),
      std::string::npos)
      << schema(id)->fields;
}

TEST_F(NvtxPayload, AWrongPointerInAPayloadIsACountAndNoCrash) {
  void* page = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  char* bytes = static_cast<char*>(page);
  ASSERT_EQ(mprotect(bytes + 4096, 4096, PROT_NONE), 0);
  std::memcpy(bytes + 4090, "abcdef", 6);  // Without an end before the page that cannot be read.
  struct Data {
    const char* text;
    const char* edge;
  } data{reinterpret_cast<const char*>(0x10), bytes + 4090};
  const std::uint64_t id = add_schema(
      {entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text", NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE),
       entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "edge")},
      sizeof data);
  start();
  nvtxPayloadData_t payload{id, sizeof data, &data};
  nvtxRangePushPayload(nullptr, &payload, 1);
  nvtxRangePop();
  stop();
  ASSERT_EQ(sink->blobs.size(), 1U);
  EXPECT_EQ(word(sink->blobs[0].bytes, 0), 0U);
  EXPECT_STREQ(sink->blobs[0].bytes.c_str() + word(sink->blobs[0].bytes, 8), "abcdef");
  EXPECT_EQ(sink->lost(Loss::kPayloadNotKept), 1U);
  munmap(page, 8192);
}

/// Bytes that end where nothing can be read.
class BeforeAnUnreadablePage {
 public:
  explicit BeforeAnUnreadablePage(std::size_t bytes) : mapped_((bytes + 8191) / 4096 * 4096) {
    void* memory =
        mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    memory_ = static_cast<char*>(memory);
    EXPECT_EQ(mprotect(memory_ + mapped_ - 4096, 4096, PROT_NONE), 0);
    begin = memory_ + mapped_ - 4096 - bytes;
    std::memset(begin, 'x', bytes);
  }
  ~BeforeAnUnreadablePage() { munmap(memory_, mapped_); }
  BeforeAnUnreadablePage(const BeforeAnUnreadablePage&) = delete;
  BeforeAnUnreadablePage& operator=(const BeforeAnUnreadablePage&) = delete;
  char* begin = nullptr;

 private:
  std::size_t mapped_;
  char* memory_ = nullptr;
};

TEST_F(NvtxPayload, ATextOfExplicitSizeIsNotReadBeyondIt) {
  for (const std::size_t bytes : {1UL, 4096UL, 16'384UL, 65'535UL, 65'536UL}) {
    const BeforeAnUnreadablePage text(bytes);
    start();
    nvtxPayloadData_t payload{NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, bytes, text.begin};
    nvtxMarkPayload(nullptr, &payload, 1);
    stop_clean();
    ASSERT_EQ(sink->marks.size(), 1U);
    EXPECT_EQ(sink->marks[0].text, std::string(bytes, 'x')) << "whole, so not counted as cut";
  }
}

TEST_F(NvtxPayload, ATextWithoutAnEndIsReadAsFarAsMemoryGoes) {
  struct Data {
    const char* text;
  };
  const std::uint64_t id =
      add_schema({entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text")}, sizeof(Data));
  for (const std::size_t bytes : {16'383UL, 16'384UL, 16'385UL}) {
    const BeforeAnUnreadablePage text(bytes);
    const Data data{text.begin};
    start();
    nvtxPayloadData_t payload{id, sizeof data, &data};
    nvtxMarkPayload(nullptr, &payload, 1);
    stop();
    ASSERT_EQ(sink->blobs.size(), 1U);
    const std::string& blob = sink->blobs[0].bytes;
    EXPECT_EQ(std::strlen(blob.c_str() + word(blob, 0)), std::min(bytes, 16'384UL));
    EXPECT_EQ(sink->lost(Loss::kPayloadNotKept), bytes > 16'384 ? 1U : 0U) << "cut, or whole";
  }
}

TEST_F(NvtxPayload, AWideTextThatIsCutIsCounted) {
  const std::u16string text(20'000, u'x');
  const char16_t* pointer = text.c_str();
  const std::uint64_t id = add_schema(
      {entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16, "text", NVTX_PAYLOAD_ENTRY_FLAG_POINTER)}, 8);
  const std::u16string longer(40'000, u'x');
  start();
  nvtxPayloadData_t payloads[] = {{id, 8, &pointer}};
  nvtxMarkPayload(nullptr, payloads, 1);
  nvtxPayloadData_t whole{NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16,
                          std::numeric_limits<std::size_t>::max(), longer.data()};
  nvtxMarkPayload(nullptr, &whole, 1);
  stop();
  ASSERT_EQ(sink->blobs.size(), 1U);
  EXPECT_EQ(sink->blobs[0].bytes.size(), 8 + 16'384 + 1U);
  EXPECT_EQ(sink->lost(Loss::kPayloadNotKept), 2U) << "one cut, one too long to be kept";
  EXPECT_EQ(sink->lost(Loss::kTextTruncated), 1U);
}

TEST_F(NvtxPayload, OffsetsAndLengthsOfAnySizeStayInsideThePayload) {
  std::uint64_t data[4] = {1, 2, 3, 4};
  static const char text[] = "pointed to";
  const auto at = [](std::uint64_t offset, std::uint64_t type, std::uint64_t flags,
                     std::uint64_t detail) { return entry(type, "odd", flags, detail, offset); };
  constexpr std::uint64_t kFixed =
      NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE;
  std::vector<std::uint64_t> ids;
  for (std::uint64_t offset = std::uint64_t{0} - 16; offset != 0; ++offset) {
    ids.push_back(add_schema({entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "first"),
                              at(offset, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, 0, 0)},
                             sizeof data));
  }
  for (std::uint64_t offset : {25UL, 31UL, 32UL, 33UL, 1UL << 32, 1UL << 63}) {
    ids.push_back(add_schema({entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "first"),
                              at(offset, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, 0, 0)},
                             sizeof data));
  }
  data[2] = reinterpret_cast<std::uintptr_t>(text);
  // Lengths whose product with the element's size is small only because it wraps.
  ids.push_back(
      add_schema({at(16, NVTX_PAYLOAD_ENTRY_TYPE_INT64, kFixed, (1UL << 61) + 1)}, sizeof data));
  ids.push_back(add_schema({at(0, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32,
                               NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, (1UL << 62) + 1)},
                           sizeof data));
  // What follows a huge nested schema lies nowhere that is known.
  const std::uint64_t huge =
      add_schema({entry(NVTX_PAYLOAD_ENTRY_TYPE_INT8, "a")}, std::size_t{0} - 16);
  ids.push_back(add_schema({entry(huge, "nested"), entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "second"),
                            entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text")},
                           sizeof data));
  start();
  for (const std::uint64_t id : ids) {
    nvtxPayloadData_t payload{id, sizeof data, data};
    nvtxMarkPayload(nullptr, &payload, 1);
  }
  stop();
  ASSERT_EQ(sink->blobs.size(), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(sink->blobs[i].record.schema, ids[i]) << "the event's own header is whole";
    EXPECT_EQ(word(sink->blobs[i].bytes, 0), 1U) << i;
    EXPECT_EQ(word(sink->blobs[i].bytes, 8), 2U) << i;
  }
  EXPECT_EQ(sink->lost(Loss::kPayloadNotKept), ids.size() - 1)
      << "all but the embedded text, which is there as it is";
}

TEST_F(NvtxPayload, AWrongHandleInAPayloadIsCountedAndNeverFollowed) {
  const std::uint64_t id = add_schema({entry(NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE,
                                             "registered", NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE)},
                                      8);
  const std::uint64_t wrong[] = {8, 0xdeadbeefdeadbeef, reinterpret_cast<std::uintptr_t>(&id),
                                 reinterpret_cast<std::uintptr_t>(nvtxDomainCreateA("no string"))};
  start();
  for (const std::uint64_t& handle : wrong) {
    nvtxPayloadData_t payload{id, 8, &handle};
    nvtxMarkPayload(nullptr, &payload, 1);
    payload.schemaId = NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE;
    nvtxMarkPayload(nullptr, &payload, 1);
  }
  stop();
  ASSERT_EQ(sink->marks.size(), 2 * std::size(wrong));
  for (const auto& mark : sink->marks) EXPECT_EQ(mark.text, "");
  EXPECT_EQ(sink->lost(Loss::kPayloadNotKept), std::size(wrong));
  EXPECT_EQ(sink->lost(Loss::kNvtxCallNotKept), 2 * std::size(wrong)) << "messages without a text";
}

TEST_F(NvtxPayload, RangesAndMarksThatSayEverythingByPayload) {
  struct Data {
    std::uint32_t number;
    char message[12];
  } data{7, "embedded"};
  const std::uint64_t id = add_schema({entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "number"),
                                       entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "message",
                                             NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE, 12)},
                                      sizeof data);
  start();
  nvtxPayloadData_t payload{id, sizeof data, &data};
  EXPECT_EQ(nvtxRangePushPayload(nullptr, &payload, 1), 0);
  data.number = 8;
  EXPECT_EQ(nvtxRangePopPayload(nullptr, &payload, 1), 0);
  EXPECT_LT(nvtxRangePopPayload(nullptr, nullptr, 0), 0);
  const nvtxRangeId_t range = nvtxRangeStartPayload(nullptr, &payload, 1);
  nvtxRangeEndPayload(nullptr, range, &payload, 1);
  nvtxPayloadData_t text{NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8,
                         std::numeric_limits<std::size_t>::max(), "a plain text"};
  nvtxMarkPayload(nullptr, &text, 1);
  nvtxMarkPayload(nullptr, nullptr, 3);
  stop();
  const auto found = sink->ranges("embedded");
  ASSERT_EQ(found.size(), 2U);
  ASSERT_EQ(sink->blobs.size(), 5U);
  EXPECT_EQ(sink->blobs[0].record.range, found[0].record.id);
  EXPECT_EQ(sink->blobs[1].record.range, found[0].record.id) << "of the pop";
  EXPECT_EQ(sink->blobs[1].bytes[0], 8);
  EXPECT_EQ(sink->blobs[2].record.range, range);
  EXPECT_EQ(sink->blobs[3].record.range, range);
  EXPECT_EQ(sink->marks[0].text, "a plain text");
  EXPECT_EQ(sink->marks[1].text, "");
  EXPECT_EQ(sink->lost(Loss::kUnbalancedPop), 1U);
  EXPECT_EQ(sink->losses.size(), 1U) << testing::PrintToString(sink->losses);
}

TEST_F(NvtxPayload, WhatCannotBeKeptIsCounted) {
  const std::uint64_t unknown_length = add_schema(
      {entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "length"),
       entry(NVTX_PAYLOAD_ENTRY_TYPE_INT32, "array",
             NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX, 0)},
      16);
  const std::vector<char> large(kMaxBlobBytes + 1);
  const std::uint64_t words[2] = {};
  start();
  nvtxPayloadData_t payloads[] = {
      {unknown_length, sizeof words, words},                       // Kept, not what it points to.
      {NVTX_TYPE_PAYLOAD_SCHEMA_RAW, large.size(), large.data()},  // Too long.
      {NVTX_TYPE_PAYLOAD_SCHEMA_RAW, std::numeric_limits<std::size_t>::max(),
       large.data()},                                   // Of unknown size.
      {NVTX_TYPE_PAYLOAD_SCHEMA_RAW, 8, nullptr},       // Nowhere.
      {NVTX_TYPE_PAYLOAD_SCHEMA_RAW, 4, large.data()},  // Kept.
      {NVTX_TYPE_PAYLOAD_SCHEMA_RAW, 0, nullptr},       // Kept: it is empty.
  };
  nvtxMarkPayload(nullptr, payloads, std::size(payloads));
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.payloadType = NVTX_PAYLOAD_TYPE_EXT;
  event.reserved0 = 1;  // But no payloads.
  nvtxMarkEx(&event);
  event.payload.ullValue = NVTX_POINTER_AS_PAYLOAD_ULLVALUE(payloads);
  event.reserved0 = -1;
  nvtxMarkEx(&event);
  stop();
  EXPECT_EQ(sink->blobs.size(), 3U);
  EXPECT_EQ(sink->marks.size(), 3U);
  EXPECT_EQ(sink->lost(Loss::kPayloadNotKept), 6U);
  EXPECT_EQ(sink->losses.size(), 1U);
}

TEST_F(NvtxPayload, SchemasEnumsAndTheirIds) {
  const std::uint64_t first = add_schema({entry(NVTX_PAYLOAD_ENTRY_TYPE_INT8, "a")}, 1);
  EXPECT_GE(first, NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START);
  EXPECT_NE(add_schema({entry(NVTX_PAYLOAD_ENTRY_TYPE_INT8, "a")}, 1), first);
  nvtxPayloadSchemaEntry_t entries[] = {entry(first, "nested"),
                                        entry(NVTX_PAYLOAD_ENTRY_TYPE_INT8, "after", 0, 0, 4)};
  nvtxPayloadSchemaAttr_t attributes{};
  attributes.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                         NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                         NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  attributes.entries = entries;
  attributes.numEntries = 2;
  attributes.schemaId = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 5;
  nvtxDomainHandle_t domain = nvtxDomainCreateA("schemas");
  EXPECT_EQ(nvtxPayloadSchemaRegister(domain, &attributes), attributes.schemaId);
  const nvtxPayloadEnum_t values[] = {{"RED", 1, 0}, {"BIT", 8, 1}};
  nvtxPayloadEnumAttr_t colors{};
  colors.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME | NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES;
  colors.name = "Color";
  colors.entries = values;
  colors.numEntries = 2;
  const std::uint64_t color = nvtxPayloadEnumRegister(domain, &colors);
  start();
  attributes.numEntries = 0;
  EXPECT_EQ(nvtxPayloadSchemaRegister(nullptr, &attributes), 0U);
  EXPECT_EQ(nvtxPayloadSchemaRegister(nullptr, nullptr), 0U);
  EXPECT_EQ(nvtxPayloadEnumRegister(nullptr, nullptr), 0U);
  EXPECT_EQ(nvtxDomainIsEnabled(nullptr), 1);
  stop();
  EXPECT_EQ(sink->lost(Loss::kNvtxCallNotKept), 3U);
  ASSERT_NE(schema(color), nullptr);
  EXPECT_EQ(
      schema(color)->fields,
      R"([{"name":"RED","value":1,"is_flag":false},{"name":"BIT","value":8,"is_flag":true}])");
  EXPECT_EQ(
      schema(NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 5)->fields,
      R"([{"name":"nested","type":"schema:)" + std::to_string(first) +
          R"(","offset":0,"array":0,"flags":0},{"name":"after","type":"int8","offset":4,"array":0,"flags":0}])");
}

TEST_F(NvtxPayload, APayloadFromBeforeTheStartIsCounted) {
  const std::uint64_t number = 5;
  nvtxPayloadData_t payload{NVTX_PAYLOAD_ENTRY_TYPE_UINT64, 8, &number};
  nvtxRangePushPayload(nullptr, &payload, 1);
  start();
  nvtxMarkA("x");
  nvtxRangePop();
  stop();
  EXPECT_EQ(sink->lost(Loss::kPayloadNotKept), 1U);
  EXPECT_EQ(sink->ranges().size(), 1U);
}

TEST_F(NvtxPayload, SamplesOfCountersAreMarks) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("server");
  const auto add_counter = [&](const char* name, std::uint64_t schema, std::uint64_t id = 0) {
    nvtxCounterAttr_t attributes{};
    attributes.structSize = sizeof attributes;
    attributes.name = name;
    attributes.schemaId = schema;
    attributes.counterId = id;
    return nvtxCounterRegister(domain, &attributes);
  };
  const std::uint64_t depth = add_counter("queue depth", NVTX_PAYLOAD_ENTRY_TYPE_INT64);
  const std::uint64_t own = NVTX_COUNTER_ID_STATIC_START + 7;
  EXPECT_EQ(add_counter("load", NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, own), own);
  struct Pair {
    std::uint32_t hits, misses;
  } pair{7, 2};
  const std::uint64_t schema_id = add_schema({entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "hits"),
                                              entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "misses")},
                                             sizeof pair, "cache", domain);
  const std::uint64_t group = add_counter("cache", schema_id);
  EXPECT_NE(depth, group);
  nvtxCounterSampleInt64(domain, depth, 1);  // before the capture
  start();
  nvtxRangePushA("request");
  nvtxCounterSampleInt64(domain, depth, -3);
  const float load = 0.75F;
  nvtxCounterSample(domain, own, &load, sizeof load);
  nvtxCounterSampleFloat64(domain, own, 2.5);
  nvtxCounterSample(domain, group, &pair, sizeof pair);
  nvtxCounterSampleNoValue(domain, depth, NVTX_COUNTER_SAMPLE_ZERO);
  nvtxCounterSampleNoValue(domain, depth, NVTX_COUNTER_SAMPLE_UNAVAILABLE);
  nvtxRangePop();
  nvtxCounterSampleInt64(domain, 12345, 1);
  nvtxCounterSampleInt64(nullptr, depth, 1);  // of another domain
  nvtxCounterSample(domain, own, &load, 1);
  stop();
  EXPECT_EQ(sink->lost(Loss::kNvtxCallNotKept), 2U);
  ASSERT_EQ(sink->marks.size(), 7U);
  const auto real = [](double value) {
    return Payload{Payload::Type::kDouble, std::bit_cast<std::uint64_t>(value)};
  };
  const std::pair<const char*, Payload> expected[] = {
      {"queue depth", {Payload::Type::kInt64, static_cast<std::uint64_t>(-3)}},
      {"load", real(0.75)},
      {"load", real(2.5)},
      {"cache", {}},
      {"queue depth", {Payload::Type::kInt64, 0}},
      {"queue depth", {}},
      {"load", {}}};
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(sink->marks[i].text, expected[i].first) << i;
    EXPECT_EQ(sink->marks[i].record.payload, expected[i].second) << i;
    EXPECT_EQ(sink->domains.at(sink->marks[i].record.domain.value), "server");
  }
  EXPECT_EQ(sink->stack(sink->marks[0].record.parent), "request");
  ASSERT_FALSE(sink->blobs.empty());
  EXPECT_EQ(sink->blobs[0].record.schema, schema_id);
  EXPECT_EQ(word(sink->blobs[0].bytes, 0), 7U | std::uint64_t{2} << 32);
  nvtxDomainDestroy(domain);
}

TEST_F(NvtxPayload, MemoryAndDeferredEventsAreCounted) {
  start();
  EXPECT_EQ(nvtxCounterRegister(nullptr, nullptr), 0U);
  nvtxCounterSampleInt64(nullptr, 1, 2);
  nvtxCounterSampleFloat64(nullptr, 1, 2.0);
  nvtxCounterSampleNoValue(nullptr, 1, 0);
  EXPECT_EQ(nvtxMemHeapRegister(nullptr, nullptr), nullptr);
  nvtxMemRegionsRegister(nullptr, nullptr);
  nvtxEventSubmit(nullptr, nullptr, 0);
  nvtxEventBatchSubmit(nullptr, nullptr);
  nvtxTimeSyncPoint(nullptr, 1, 2, 3, 4);
  const nvtxScopeAttr_t scope{sizeof scope, "gpu", NVTX_SCOPE_ROOT, NVTX_SCOPE_ID_STATIC_START + 1};
  EXPECT_EQ(nvtxScopeRegister(nullptr, &scope), NVTX_SCOPE_ID_STATIC_START + 1U);
  EXPECT_GT(nvtxTimestampGet(), 0);
  stop();
  EXPECT_EQ(sink->lost(Loss::kNvtxCallNotKept), 10U);
}

}  // namespace
}  // namespace prof::collectors
