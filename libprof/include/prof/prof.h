/* SPDX-FileCopyrightText: The libprof authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * @file Start and stop a capture from inside a program, in C or C++. Link with prof::prof (CMake)
 * or `pkg-config --libs prof`. To annotate layers, ops and shapes, see prof/annotate.hpp.
 *
 * @code
 *   prof_options options = PROF_OPTIONS_INIT;
 *   options.output = "step.db";
 *   if (prof_start(&options) != PROF_OK) fprintf(stderr, "%s\n", prof_last_error());
 *   run_step();
 *   prof_stop();
 * @endcode
 *
 * A capture holds all GPU work launched between start and stop, by any thread of the process on any
 * GPU, and the NVTX ranges under which it was launched, including those opened before the start. A
 * process runs one capture at a time; captures may follow one another, each with its own file.
 *
 * Threads: every function may be called from any thread at any time, but not from inside a CUDA or
 * CUPTI callback, a signal handler or a static destructor. Functions throw nothing, never end the
 * program and print nothing on stdout. Ownership: strings passed in are copied; returned strings
 * belong to the library. After fork() in a process that has captured, or is in standby, the child
 * cannot capture (PROF_ERROR_FORKED).
 */
#ifndef PROF_PROF_H
#define PROF_PROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PROF_API __attribute__((visibility("default")))
#else
#define PROF_API
#endif

/** The result of a call. Values never change; later versions may add some. */
typedef enum prof_result {
  PROF_OK = 0,
  PROF_ERROR_INVALID_ARGUMENT =
      1,                        /**< A null pointer, an unset struct_size, a value out of range. */
  PROF_ERROR_NO_COLLECTOR = 2,  /**< libprof_inject.so was not found or could not be loaded. */
  PROF_ERROR_NO_CUPTI = 3,      /**< No libcupti, or one that is too old. */
  PROF_ERROR_NO_DRIVER = 4,     /**< No NVIDIA driver, or one too old for this CUPTI. */
  PROF_ERROR_HELD_BY_OTHER = 5, /**< Another profiler holds CUPTI; the message names it. */
  PROF_ERROR_NO_PERMISSION = 6, /**< The system allows profiling to administrators only. */
  PROF_ERROR_ALREADY_STARTED = 7, /**< A capture is running, started here or by prof-run. */
  PROF_ERROR_NOT_STARTED = 8,     /**< No capture is running. */
  PROF_ERROR_OUTPUT =
      9, /**< The trace cannot be created or is incomplete: folder, disk, existing file. */
  PROF_ERROR_FORKED = 10, /**< This process was forked from one that had captured or stood by. */
  PROF_ERROR_FAILED = 11  /**< Anything else; see the message. */
} prof_result;

/** Which CUDA calls get a row of their own. GPU work is recorded in full whatever the choice. */
typedef enum prof_api_calls {
  PROF_API_CALLS_DEFAULT = 0, /**< As PROF_API says, else launch. */
  PROF_API_CALLS_LAUNCH = 1, /**< Launches, copies, synchronization, allocation, streams, events. */
  PROF_API_CALLS_ALL = 2,    /**< Every runtime and driver call, getters and nested calls too. */
  PROF_API_CALLS_NONE = 3    /**< Only the calls that put work on a GPU, which attribution needs. */
} prof_api_calls;

/**
 * What to capture, and where to write it. Always initialize with PROF_OPTIONS_INIT; a member left 0
 * takes the value of its environment variable (docs/capture.md), else the default given here.
 */
typedef struct prof_options {
  size_t struct_size; /**< sizeof(prof_options), so that later versions know which members exist. */
  const char* output; /**< Path of the trace; in the file's name %p is the process id, %h the host,
                         %r the rank, %n the number of the capture. Default "prof-%p.db". */
  const char*
      stream; /**< Path of the record stream in text form, written in addition. Default: none. */
  int api;    /**< One of prof_api_calls. Default PROF_API_CALLS_LAUNCH. */
  int force;  /**< Not 0: replace existing files. Default: refuse. */
  int keep_attached;    /**< Not 0: prof_stop() leaves CUPTI in the process, idle: the next start is
                             faster, but CUDA calls may stay a little slower in between. */
  int verbose;          /**< Not 0: one line on stderr when the trace is written. */
  uint64_t queue_bytes; /**< Memory limit for records waiting to be written. Default 256 MiB. */
  uint64_t buffer_bytes; /**< Memory limit for CUPTI's activity buffers. Default 128 MiB. */
} prof_options;

/** The initializer of prof_options. */
#define PROF_OPTIONS_INIT \
  { sizeof(prof_options), NULL, NULL, PROF_API_CALLS_DEFAULT, 0, 0, 0, 0, 0 }

/**
 * What the running capture has recorded so far, or what the last one's file holds. During a
 * capture, counts are of decoded records, which lag the work by up to a second; after prof_flush()
 * they are exact.
 */
typedef struct prof_status {
  size_t struct_size; /**< sizeof(prof_status). */
  int running;        /**< Not 0: a capture is running. */
  uint64_t kernels;   /**< Kernels. */
  uint64_t copies;    /**< Memory copies. */
  uint64_t sets;      /**< Memory sets. */
  uint64_t launches;  /**< Launch calls that put one kernel each on a stream. */
  uint64_t lost;      /**< Records lost, for any reason; the trace gives the reasons. */
  char output[4096];  /**< Path of the trace, truncated if longer; "" if there was none. */
} prof_status;

/** The initializer of prof_status. */
#define PROF_STATUS_INIT                         \
  {                                              \
    sizeof(prof_status), 0, 0, 0, 0, 0, 0, { 0 } \
  }

/**
 * From now on, before and between captures, follows what happens to CUDA graphs, so that a capture
 * knows the layers and ops of graphs that were made earlier. Else their replays have those of their
 * launch alone. CUPTI stays in the process until it ends, whatever keep_attached says, and no other
 * profiler can use it; only calls that make or change graphs become slower. The environment
 * variable PROF_BETWEEN=light does the same from the first prof_start() on (docs/graphs.md).
 * @return PROF_OK, also if it was called before; PROF_ERROR_ALREADY_STARTED during a capture; or
 * why CUPTI is not available.
 */
PROF_API prof_result prof_standby(void);

/**
 * Begins a capture. Works both before and after CUDA is initialized. May take some 100 ms, during
 * which other threads' CUDA calls may block; does not synchronize the GPU.
 * @param options What to capture and where to write it, or NULL for all defaults. Copied.
 * @return PROF_OK, or why nothing is captured; the program is then unchanged.
 */
PROF_API prof_result prof_start(const prof_options* options);

/**
 * Captures windows of the run, as prof-run --capture does (docs/capture.md), until prof_stop().
 * Between windows CUDA graphs are followed, unless PROF_BETWEEN=off.
 * @param options Where to write them, or NULL for all defaults; %n in the file's name is the
 * window's number, and gives each a file of its own. keep_attached has no effect. Copied.
 * @param windows What to capture, one on each line: "steps:10..12\nduration:5s". Copied.
 * @return PROF_OK; PROF_ERROR_INVALID_ARGUMENT, on which prof_last_error() says more;
 * PROF_ERROR_ALREADY_STARTED, also under prof-run; or why nothing can be captured.
 */
PROF_API prof_result prof_start_windows(const prof_options* options, const char* windows);

/**
 * 0 while windows are captured and none is open: the program may leave out what it marks for the
 * profiler alone. Else 1. Costs about as much as reading a variable.
 */
PROF_API int prof_wants_marks(void);

/**
 * Ends the capture and closes its trace. Waits for all work of the current and of all primary
 * contexts (cuCtxSynchronize), so that every earlier launch is in the trace; work that other
 * threads launch meanwhile may or may not be. Then detaches CUPTI (unless keep_attached), so that
 * no overhead remains.
 * After prof_start_windows() it ends the window that is open, if any, and no other will open.
 * @return PROF_OK; PROF_ERROR_NOT_STARTED; PROF_ERROR_OUTPUT if the trace is incomplete.
 */
PROF_API prof_result prof_stop(void);

/**
 * Writes all finished work to the file, so that it is safe there and the counts of
 * prof_get_status() are exact. Does not synchronize the GPU: do that first to include everything
 * launched.
 */
PROF_API prof_result prof_flush(void);

/** Fills `status`, whose struct_size must be set. Works between captures, too. */
PROF_API prof_result prof_get_status(prof_status* status);

/** A short description of a result, never NULL; valid forever. */
PROF_API const char* prof_strerror(prof_result result);

/**
 * One line about the calling thread's last call that did not return PROF_OK: what happened, where,
 * what to do. "" if there was none. Valid until that thread's next call.
 */
PROF_API const char* prof_last_error(void);

/** This library's version, "major.minor.patch"; valid forever. */
PROF_API const char* prof_version(void);

#ifdef __cplusplus
}
#endif

#endif
