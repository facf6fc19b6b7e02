#pragma once
#include <array>
#include <cstddef>
#include <optional>

class Ring {
 public:
  bool empty() const { return count_ == 0; }

  void push(int value) {
    data_[(first_ + count_) % data_.size()] = value;
    if (count_ < data_.size()) ++count_; else first_ = (first_ + 1) % data_.size();
  }

  std::optional<int> pop() {
    if (empty()) return std::nullopt;
    int value = data_[first_];
    first_ = (first_ + 1) % data_.size();
    --count_;
    return value;
  }

 private:
  std::array<int, 4> data_{};
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};
