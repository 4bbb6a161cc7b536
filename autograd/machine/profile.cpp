#include "autograd/machine/profile.h"

#include <chrono>

namespace regard {

namespace {

Profile::Nanoseconds clock_time() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Profile::Profile(Loops loops) : start_(clock_time()), time_loops_(loops == Loops::timed) {}

void Profile::stop() {
  if (!scope_) return;
  while (!open_.empty()) end_span();
  duration_ = now();
  scope_.reset();
}

void Profile::begin_span(const char* name, Span::Kind kind) {
  open_.push_back(events_.size());
  events_.push_back({.name = name, .kind = kind, .begin = now()});
}

void Profile::end_span() {
  const Nanoseconds end = now();
  Event& event = *open_event();
  open_.pop_back();
  event.end = end;
  event.self += end - event.begin;  // the spans inside it have subtracted their time before
  if (Event* const around = open_event()) around->self -= end - event.begin;
}

Profile::Nanoseconds Profile::now() const { return clock_time() - start_; }

}  // namespace regard
