#pragma once

#include <utility>

// The surroundings of a computation: what an operation asks for and has no parameter for, such as the profile
// that counts its time, or whether gradients are wanted. They are objects. Each surrounds a thread from its
// construction to its destruction; of several of a class T, the innermost counts. T has one of these members:
//
//   const OnThread<T> scope_{this};            for its thread alone, because T is written (Profile, Autocast)
//   const OnThreadAndWorkers<T> scope_{this};  also for the workers of parallel loops: T is read (NoGrad)
//
// An operation asks OnThread<T>::innermost(). parallel_for hands the second kind to its workers: all, without
// knowing any. A loop whose body asks for the first kind has to stay on its thread: see bound_to_thread().

namespace regard {

namespace detail {
struct Uncopied {
  Uncopied() = default;
  Uncopied(const Uncopied&) = delete;
  Uncopied& operator=(const Uncopied&) = delete;
};

/// An object that workers inherit, in the list of its thread: the innermost comes first.
struct Inherited {
  const void* kind;
  const void* object;
  Inherited* outer;
};
constinit inline thread_local Inherited* innermost_inherited = nullptr;
constinit inline thread_local int bound_to_thread = 0;  ///< how many objects surround this thread alone
}  // namespace detail

/// `object` surrounds this thread alone. Null: nothing of this class does, not even an outer one.
template <class T>
class OnThread : detail::Uncopied {
 public:
  explicit OnThread(T* object) : outer_(std::exchange(innermost_, object)) {
    if (object != nullptr) ++detail::bound_to_thread;
  }
  ~OnThread() {
    if (std::exchange(innermost_, outer_) != nullptr) --detail::bound_to_thread;
  }
  /// The object of this thread, or null.
  static T* innermost() { return innermost_; }

 private:
  constinit inline static thread_local T* innermost_ = nullptr;
  T* const outer_;
};

/// True if an object surrounds this thread alone. Work that is to be seen by it has to stay on this thread.
inline bool bound_to_thread() { return detail::bound_to_thread > 0; }

/// `object` surrounds this thread and the workers of its parallel loops.
template <class T>
class OnThreadAndWorkers : detail::Uncopied {
 public:
  explicit OnThreadAndWorkers(const T* object) : here_{&kind_, object, detail::innermost_inherited} {
    detail::innermost_inherited = &here_;
  }
  ~OnThreadAndWorkers() {  // in Python, an outer one may end first
    detail::Inherited** at = &detail::innermost_inherited;
    while (*at != nullptr && *at != &here_) at = &(*at)->outer;
    if (*at != nullptr) *at = here_.outer;
  }
  /// The object of this thread, or null.
  static const T* innermost() {
    const detail::Inherited* at = detail::innermost_inherited;
    while (at != nullptr && at->kind != &kind_) at = at->outer;
    return at == nullptr ? nullptr : static_cast<const T*>(at->object);
  }

 private:
  static constexpr char kind_ = 0;  ///< its address stands for T
  detail::Inherited here_;
};

/// What the workers of this thread inherit.
using Surroundings = detail::Inherited*;
inline Surroundings surroundings() { return detail::innermost_inherited; }

/// While it exists, its thread works for another one and computes in the surroundings of that one, which has
/// to wait for it.
class Worker : detail::Uncopied {
 public:
  explicit Worker(Surroundings of_caller) : own_(std::exchange(detail::innermost_inherited, of_caller)) {}
  ~Worker() { detail::innermost_inherited = own_; }

 private:
  const Surroundings own_;
};

}  // namespace regard
