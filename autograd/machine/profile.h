#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "autograd/machine/real.h"
#include "autograd/machine/surroundings.h"

// A profile shows where the time goes. Each operation opens a Span while it runs, and counts its matrix
// products. While a Profile exists, it collects the spans of its thread; without one, a span costs one load
// and one branch. A thread that is to be profiled needs a Profile of its own.

namespace regard {

class Profile;

/// A stretch of time, from the constructor to the destructor. Spans nest.
class Span {
 public:
  enum class Kind {
    forward,   ///< an operation computes its value
    backward,  ///< an operation computes its inputs' gradients
    other,     ///< work that is not an operation: an update of the weights, a search
    region     ///< a part of the program that contains other spans, such as a training step
  };

  /// `name` must live as long as the profile. Operations open their spans with Operation
  /// (autograd/graph.h).
  explicit Span(const char* name, Kind kind = Kind::forward);
  ~Span();
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  Profile* const profile_;
};

/// Collects the spans that begin on this thread while it exists, or until stop().
class Profile {
 public:
  using Nanoseconds = Index;  ///< since the profile began

  struct Event {
    const char* name;
    Span::Kind kind;
    Nanoseconds begin, end = 0;
    Nanoseconds self = 0;  ///< without the spans inside it
    double flops = 0;      ///< multiplications and additions of matrix products
  };

  /// A parallel loop and the time of each of its blocks.
  struct Loop {
    std::optional<std::size_t> event;  ///< the innermost span around it: its place in events()
    std::vector<Nanoseconds> blocks;
  };

  enum class Loops {
    on_all_threads,
    timed  ///< the blocks of each loop run one after another on this thread, and loops() has their times
  };

  explicit Profile(Loops loops = Loops::on_all_threads);
  ~Profile() { stop(); }

  /// Ends the collection and closes all open spans. If the thread had a profile before this one, that one
  /// collects again.
  void stop();
  /// In the order in which they began, so a span comes before the spans inside it.
  const std::vector<Event>& events() const { return events_; }
  /// From the constructor to stop().
  Nanoseconds duration() const { return duration_; }
  /// In the order in which they ran. Spans and loops inside a block are parts of that block.
  const std::vector<Loop>& loops() const { return loops_; }
  bool times_loops() const { return time_loops_ && !in_loop_; }
  bool in_timed_loop() const { return in_loop_; }

  /// Runs the blocks of a loop and notes their times.
  template <class Run>
  void time_loop(Index blocks, const Run& run) {
    struct Inside {
      explicit Inside(bool& flag) : flag_(flag) { flag_ = true; }
      ~Inside() { flag_ = false; }
      bool& flag_;
    };
    Loop loop;
    if (!open_.empty()) loop.event = open_.back();
    const Inside inside(in_loop_);
    for (Index block = 0; block < blocks; ++block) {
      const Nanoseconds begin = now();
      run(block);
      loop.blocks.push_back(now() - begin);
    }
    loops_.push_back(std::move(loop));
  }

  /// The event of the innermost open span, or null if none is open. Its end and self are not known yet.
  Event* open_event() { return open_.empty() ? nullptr : &events_[open_.back()]; }

 private:
  friend class Span;
  void begin_span(const char* name, Span::Kind kind);
  void end_span();
  Nanoseconds now() const;

  const Nanoseconds start_;  ///< of the steady clock
  const bool time_loops_;
  bool in_loop_ = false;
  std::optional<OnThread<Profile>> scope_{this};  ///< until stop()
  Nanoseconds duration_ = 0;
  std::vector<Event> events_;
  std::vector<Loop> loops_;
  std::vector<std::size_t> open_;  ///< positions in events_, the innermost last
};

/// True if this thread's spans are collected. Ask before you compute a count that costs time.
inline bool profiling() { return OnThread<Profile>::innermost() != nullptr; }

inline Span::Span(const char* name, Kind kind)
    : profile_(profiling() && !OnThread<Profile>::innermost()->in_timed_loop()
                   ? OnThread<Profile>::innermost()
                   : nullptr) {
  if (profile_ != nullptr) profile_->begin_span(name, kind);
}

inline Span::~Span() {
  if (profile_ != nullptr && profile_ == OnThread<Profile>::innermost()) profile_->end_span();
}

/// Adds to the innermost open span of this thread; does nothing without a profile.
inline void count_flops(double flops) {
  if (!profiling()) return;
  if (Profile::Event* const event = OnThread<Profile>::innermost()->open_event()) event->flops += flops;
}

}  // namespace regard
