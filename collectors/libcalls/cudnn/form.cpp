// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cudnn/form.hpp"

#include <cstring>

#include "collectors/libcalls/cudnn/backend_operations.hpp"

namespace prof::collectors {
namespace {

/// The names of an op and of its gradient.
struct Named {
  const char *forward, *backward;
};

const char* name_of(const Named& named, bool is_backward) {
  return is_backward ? named.backward : named.forward;
}

/// Indexed by cudnnActivationMode_t.
constexpr Named kActivations[] = {
    {"cudnn::sigmoid", "cudnn::sigmoid_backward"},
    {"cudnn::relu", "cudnn::relu_backward"},
    {"cudnn::tanh", "cudnn::tanh_backward"},
    {"cudnn::clipped_relu", "cudnn::clipped_relu_backward"},
    {"cudnn::elu", "cudnn::elu_backward"},
    {"cudnn::identity", "cudnn::identity_backward"},
    {"cudnn::swish", "cudnn::swish_backward"},
};

constexpr Named kUnknownActivation = {"cudnn::activation", "cudnn::activation_backward"};
constexpr Named kSoftmax = {"cudnn::softmax", "cudnn::softmax_backward"};
constexpr Named kLogSoftmax = {"cudnn::log_softmax", "cudnn::log_softmax_backward"};
constexpr Named kUnknownPooling = {"cudnn::pool", "cudnn::pool_backward"};
/// Names by number of dimensions: one, two and three.
constexpr Named kMaxPooling[] = {{"cudnn::max_pool1d", "cudnn::max_pool1d_backward"},
                                 {"cudnn::max_pool2d", "cudnn::max_pool2d_backward"},
                                 {"cudnn::max_pool3d", "cudnn::max_pool3d_backward"}};
constexpr Named kAveragePooling[] = {{"cudnn::avg_pool1d", "cudnn::avg_pool1d_backward"},
                                     {"cudnn::avg_pool2d", "cudnn::avg_pool2d_backward"},
                                     {"cudnn::avg_pool3d", "cudnn::avg_pool3d_backward"}};

/// Indexed by cudnnOpTensorOp_t.
constexpr const char* kElementwise[] = {"cudnn::op_add", "cudnn::op_mul",  "cudnn::op_min",
                                        "cudnn::op_max", "cudnn::op_sqrt", "cudnn::op_not"};

template <std::size_t kCount>
const char* name_at(const char* const (&names)[kCount], int at, const char* otherwise) {
  return at >= 0 && at < static_cast<int>(kCount) ? names[at] : otherwise;
}

/// The operation after a normalization, indexed by the normalization's own `mode`.
constexpr const char* kAfterNorm[] = {"", "activation", "add activation"};

class Call {
 public:
  Call(CallFacts& facts, CudnnGetters& getters, const CudnnOp& op, std::string_view letters,
       std::span<const CudnnArgument> arguments)
      : facts_(facts), getters_(getters), op_(op), letters_(letters), arguments_(arguments) {}

  void write() {
    facts_.op(op_.name);
    if (op_.part != nullptr) facts_.fact("part", op_.part);
    for (std::size_t i = 0; i < letters_.size(); ++i) state(letters_[i], arguments_[i]);
    if (accumulates()) facts_.fact("accumulates", std::int64_t{1});
    for (std::size_t i = 0; i < letters_.size(); ++i) write_operand(i);
    if (rnn_.mode >= 0) write_weights();
  }

 private:
  void state(char letter, const CudnnArgument& argument) {
    switch (letter) {
      case 'c':
        return state_convolution(facts_, getters_, argument.pointer);
      case 'a':
        // Null for a normalization without an activation.
        if (argument.pointer == nullptr) return;
        return state_activation(read_activation(getters_, argument.pointer));
      case 'o':
        return state_pooling(read_pooling(getters_, argument.pointer));
      case 'r':
        return facts_.op(reduction_op(read_reduction(getters_, argument.pointer)));
      case 'x':
        return facts_.op(
            name_at(kElementwise, read_elementwise(getters_, argument.pointer), "cudnn::op"));
      case 'n':
        return state_rnn(read_rnn(getters_, argument.pointer));
      case 'm':
        return state_attention(facts_, getters_, argument.pointer);
      case 'g':
        algorithm_ = argument.number;
        return facts_.fact("algorithm", std::int64_t{argument.number});
      case 'j':
        return facts_.fact("epilogue", name_at(kAfterNorm, argument.number, "unknown"));
      case 'k':
        return state_mode(argument.number);
      default:
        return;
    }
  }

  /// States the activation as the function itself, or as its last step.
  void state_activation(int mode) {
    const bool is_known = mode >= 0 && mode < std::ssize(kActivations);
    const Named& named = is_known ? kActivations[mode] : kUnknownActivation;
    if (op_.name[0] == '\0') return facts_.op(name_of(named, op_.is_backward));
    constexpr std::size_t kPrefix = sizeof "cudnn::" - 1;
    facts_.fact("epilogue", is_known ? named.forward + kPrefix : "unknown");
  }

  void state_pooling(const CudnnPooling& pooling) {
    if (pooling.mode < 0 || pooling.rank > 3) {
      return facts_.op(name_of(kUnknownPooling, op_.is_backward));
    }
    const bool is_average = pooling.mode == 1 || pooling.mode == 2;
    const auto at = static_cast<std::size_t>(pooling.rank - 1);
    facts_.op(name_of(is_average ? kAveragePooling[at] : kMaxPooling[at], op_.is_backward));
    const auto rank = static_cast<std::size_t>(pooling.rank);
    facts_.fact("kernel_size", std::span<const std::int64_t>(pooling.window.data(), rank));
    facts_.fact("padding", std::span<const std::int64_t>(pooling.padding.data(), rank));
    facts_.fact("stride", std::span<const std::int64_t>(pooling.stride.data(), rank));
  }

  /// States the mode. Called after the algorithm, which determines whether it is the logarithm.
  void state_mode(int mode) {
    if (op_.name[0] == '\0') {
      constexpr int kLogarithm = 2;  // CUDNN_SOFTMAX_LOG
      const Named& named = algorithm_ == kLogarithm ? kLogSoftmax : kSoftmax;
      facts_.op(name_of(named, op_.is_backward));
    }
    facts_.fact("mode", std::int64_t{mode});
  }

  void state_rnn(const CudnnRnn& rnn) {
    rnn_ = rnn;
    constexpr const char* kCells[] = {"rnn_relu", "rnn_tanh", "lstm", "gru"};
    facts_.fact("cell", name_at(kCells, rnn.mode, "unknown"));
    if (rnn.mode < 0) return;
    facts_.fact("layers", std::int64_t{rnn.layers});
    facts_.fact("directions", std::int64_t{rnn.directions});
    facts_.fact("hidden_size", std::int64_t{rnn.hidden});
    if (rnn.projected != rnn.hidden) facts_.fact("projected_size", std::int64_t{rnn.projected});
    facts_.fact("compute", word_of_cudnn_type(rnn.compute));
  }

  void write_operand(std::size_t at) {
    const void* const pointer = arguments_[at].pointer;
    switch (letters_[at]) {
      case 't':
        if (is_scaled_away(at)) return facts_.none();
        return write_or_none(pointer, read_tensor(getters_, pointer));
      case 'f':
        return write_or_none(pointer, read_filter(getters_, pointer));
      case 's':
        return write_or_none(pointer, read_rnn_data(getters_, pointer));
      case 'S':
        return write_or_none(pointer, read_sequences(getters_, pointer));
      case 'T':
        parameters_ = read_tensor(getters_, pointer);
        return;
      case 'v':
        return write_or_none(pointer, parameters_);
      default:
        return;
    }
  }

  void write_or_none(const void* pointer, const CudnnTensor& tensor) {
    if (pointer == nullptr) return facts_.none();
    tensor.write(facts_);
  }

  /// Scalars have the type float; for tensors of doubles, double.
  bool is_zero(std::size_t scalar) {
    const void* const at = arguments_[scalar].pointer;
    const void* const descriptor = arguments_[scalar + 1].pointer;
    if (at == nullptr) return false;
    const DataType type = letters_[scalar + 1] == 'f' ? read_filter(getters_, descriptor).type
                                                      : read_tensor(getters_, descriptor).type;
    if (type == DataType::kR64F) {
      double value = 0;
      std::memcpy(&value, at, sizeof value);
      return value == 0;
    }
    float value = 0;
    std::memcpy(&value, at, sizeof value);
    return value == 0;
  }

  bool is_scaled_away(std::size_t operand) {
    return operand > 0 && letters_[operand - 1] == 'h' && is_zero(operand - 1);
  }

  bool accumulates() {
    const std::size_t beta = letters_.find('b');
    return beta != letters_.npos && !is_zero(beta);
  }

  /// Writes the matrices of the input and of the state, for each layer and direction, by rows of
  /// gates.
  void write_weights() {
    constexpr int kGates[] = {1, 1, 4, 3};
    // A projection is one more product.
    const bool is_plain = rnn_.mode <= 3 && rnn_.projected == rnn_.hidden;
    if (!is_plain || rnn_.layers < 1 || rnn_.layers > 1024) return facts_.unknown();
    const std::int64_t rows = std::int64_t{kGates[rnn_.mode]} * rnn_.hidden;
    const std::int64_t state = rnn_.projected;
    const DataType type = type_of_cudnn(rnn_.type);
    const auto count = static_cast<std::uint32_t>(rnn_.layers * rnn_.directions) * 2;
    facts_.list(count, [&](std::uint32_t i) {
      const bool is_first = i < static_cast<std::uint32_t>(rnn_.directions) * 2;
      const std::int64_t input = is_first ? rnn_.input : state * rnn_.directions;
      const bool is_of_input = i % 2 == 0;
      const std::int64_t sizes[] = {is_of_input && is_first && rnn_.skips_input ? 0 : rows,
                                    is_of_input ? input : state};
      facts_.tensor(type, sizes);
    });
  }

  CallFacts& facts_;
  CudnnGetters& getters_;
  const CudnnOp& op_;
  const std::string_view letters_;
  const std::span<const CudnnArgument> arguments_;
  CudnnTensor parameters_;
  CudnnRnn rnn_;
  int algorithm_ = 0;
};

}  // namespace

void write_call(CallFacts& facts, CudnnGetters& getters, const CudnnOp& op,
                std::string_view letters, std::span<const CudnnArgument> arguments) {
  Call(facts, getters, op, letters, arguments).write();
}

}  // namespace prof::collectors
