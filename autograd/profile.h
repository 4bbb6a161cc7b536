#pragma once

#include <chrono>
#include <vector>

#include "autograd/index.h"

// Where the time goes. Each operation opens a Span for as long as it runs, and says how much it computes and
// moves. While a Profile exists, it collects the spans of its thread; without one, a span costs one load and
// one branch. Operations that run at the same time on several threads have a profile each or none.

namespace regard {

class Profile;

namespace detail {
/// The profile that collects this thread's spans. A global, like the depth of NoGrad: operations have no
/// argument through which it could come.
constinit inline thread_local Profile* active_profile = nullptr;
}  // namespace detail

/// A stretch of time, from the constructor to the destructor. Spans nest.
class Span {
 public:
  enum class Kind {
    forward,   ///< an operation computes its value
    backward,  ///< an operation computes its inputs' gradients
    other,     ///< work that is no operation: an update of the weights, a search
    region     ///< a part of the program, such as a training step, that is there to hold other spans
  };

  /// `name` must live as long as the profile; an operation gives the name that it gives to record().
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
    Nanoseconds self = 0;  ///< without the spans within it
    double flops = 0;      ///< multiplications and additions of matrix products
    double bytes = 0;      ///< that have to come from memory or go there, each number once
  };

  Profile();
  ~Profile() { stop(); }
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// Ends the collection, and spans that are open still; the thread's earlier profile, if any, goes on.
  void stop();
  /// In the order in which they began: a span stands before those within it.
  const std::vector<Event>& events() const { return events_; }
  /// From the constructor to stop().
  Nanoseconds duration() const { return duration_; }

  /// The innermost open span's event, null if none is open. Its end and self are not known yet.
  Event* open_event() { return open_.empty() ? nullptr : &events_[open_.back()]; }

 private:
  friend class Span;
  void begin_span(const char* name, Span::Kind kind);
  void end_span();
  Nanoseconds now() const;

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Profile* const outer_;
  bool stopped_ = false;
  Nanoseconds duration_ = 0;
  std::vector<Event> events_;
  std::vector<std::size_t> open_;  ///< positions in events_, the innermost last
};

inline Span::Span(const char* name, Kind kind) : profile_(detail::active_profile) {
  if (profile_ != nullptr) profile_->begin_span(name, kind);
}

inline Span::~Span() {
  if (profile_ != nullptr && profile_ == detail::active_profile) profile_->end_span();
}

/// Whether this thread's spans are collected: for counts that cost something to work out.
inline bool profiling() { return detail::active_profile != nullptr; }

/// Adds to the innermost open span of this thread; does nothing without a profile.
inline void count_flops(double flops) {
  if (!profiling()) return;
  if (Profile::Event* const event = detail::active_profile->open_event()) event->flops += flops;
}
inline void count_bytes(double bytes) {
  if (!profiling()) return;
  if (Profile::Event* const event = detail::active_profile->open_event()) event->bytes += bytes;
}

}  // namespace regard
