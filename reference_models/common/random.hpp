// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Stateless random numbers: the i-th number of a stream is a function of (seed, stream, i), the
// same on host and device and for any number of threads.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define REF_HOST_DEVICE __host__ __device__
#else
#define REF_HOST_DEVICE
#endif

namespace ref {

/// 64 well mixed bits (the finalizer of splitmix64, twice).
REF_HOST_DEVICE inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream,
                                                 std::uint64_t i) {
  std::uint64_t x = seed * 0x9E3779B97F4A7C15u + stream;
  for (int round = 0; round < 2; ++round) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    x ^= x >> 31;
    if (round == 0) x += i * 0xD1342543DE82EF95u;
  }
  return x;
}

/// Uniform in [-1, 1), in steps of 2^-23: exact, so host and device agree to the last bit.
REF_HOST_DEVICE inline float random_symmetric(std::uint64_t seed, std::uint64_t stream,
                                              std::uint64_t i) {
  const auto bits = static_cast<std::int32_t>(random_bits(seed, stream, i) >> 40);
  return static_cast<float>(bits - (1 << 23)) * (1.0f / (1 << 23));
}

/// Uniform in 0..limit-1.
REF_HOST_DEVICE inline std::int64_t random_index(std::uint64_t seed, std::uint64_t stream,
                                                 std::uint64_t i, std::int64_t limit) {
  return static_cast<std::int64_t>((random_bits(seed, stream, i) >> 11) %
                                   static_cast<std::uint64_t>(limit));
}

}  // namespace ref
