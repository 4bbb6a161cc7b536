// The only file that includes mpi.h. It is built as a module by itself (launcher.cpp loads it).
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <mpi.h>
#include <numeric>
#include <type_traits>

#include "apps/translation/processes/mpi_module.h"
#include "autograd/error.h"

namespace regard::translation { namespace {

static_assert(std::is_same_v<Real, float>);

/// Throws Error if an MPI function has failed. (Open MPI reports some failures itself and ends the program.)
void check(int code) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  fail("MPI reports: {}; start the same command again: a training resumes from its newest state",
       std::string(text.data(), static_cast<std::size_t>(length)));
}

int to_int(std::size_t size) {
  if (size > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    fail("a message of {} bytes is too long for MPI", size);
  return static_cast<int>(size);
}

class MpiProcesses : public Processes {
 public:
  MpiProcesses() {
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_));
    check(MPI_Comm_size(MPI_COMM_WORLD, &count_));
  }
  ~MpiProcesses() override { MPI_Finalize(); }

  Index rank() const override { return rank_; }
  Index count() const override { return count_; }

  std::vector<std::string> all_gather(const std::string& bytes) override {
    const int size = to_int(bytes.size());
    std::vector<int> sizes(to_size(count())), places(to_size(count()));
    check(MPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD));
    std::exclusive_scan(sizes.begin(), sizes.end(), places.begin(), 0);
    std::string all(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), '\0');
    to_int(all.size());
    check(MPI_Allgatherv(bytes.data(), size, MPI_BYTE, all.data(), sizes.data(), places.data(), MPI_BYTE,
                         MPI_COMM_WORLD));
    std::vector<std::string> result;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      result.push_back(all.substr(static_cast<std::size_t>(places[i]), static_cast<std::size_t>(sizes[i])));
    return result;
  }

  void broadcast(std::span<Real> numbers) override {
    in_pieces(numbers, [](std::span<Real> piece) {
      check(MPI_Bcast(piece.data(), to_int(piece.size()), MPI_FLOAT, 0, MPI_COMM_WORLD));
    });
  }

  void sum_in_any_order(std::span<Real> numbers) override {
    in_pieces(numbers, [](std::span<Real> piece) {
      check(MPI_Allreduce(MPI_IN_PLACE, piece.data(), to_int(piece.size()), MPI_FLOAT, MPI_SUM,
                          MPI_COMM_WORLD));
    });
  }

  void post_receive(Index exchange, Index from, std::span<Real> numbers) override {
    in_pieces(numbers, [&](std::span<Real> piece) {
      check(MPI_Irecv(piece.data(), to_int(piece.size()), MPI_FLOAT, static_cast<int>(from),
                      static_cast<int>(exchange), MPI_COMM_WORLD, &requests_[exchange].emplace_back()));
    });
  }

  void post_send(Index exchange, Index to, std::span<const Real> numbers) override {
    in_pieces(numbers, [&](std::span<const Real> piece) {
      check(MPI_Isend(piece.data(), to_int(piece.size()), MPI_FLOAT, static_cast<int>(to),
                      static_cast<int>(exchange), MPI_COMM_WORLD, &requests_[exchange].emplace_back()));
    });
  }

  bool done(Index exchange) override {
    std::vector<MPI_Request>& requests = requests_[exchange];
    int flag = 0;
    check(MPI_Testall(to_int(requests.size()), requests.data(), &flag, MPI_STATUSES_IGNORE));
    if (flag != 0) requests_.erase(exchange);
    return flag != 0;
  }

  void wait(Index exchange) override {
    std::vector<MPI_Request> requests = std::move(requests_[exchange]);
    requests_.erase(exchange);
    check(MPI_Waitall(to_int(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  }

  void abort() override { MPI_Abort(MPI_COMM_WORLD, 1); }

 private:
  /// Calls use(piece) for pieces whose sizes MPI's int can count.
  template <class Number, class Use>
  static void in_pieces(std::span<Number> numbers, const Use& use) {
    constexpr std::size_t most = std::size_t{1} << 28;
    for (std::size_t first = 0; first < numbers.size(); first += most)
      use(numbers.subspan(first, std::min(most, numbers.size() - first)));
  }

  int rank_ = 0, count_ = 1;
  std::map<Index, std::vector<MPI_Request>> requests_;  ///< by exchange
};

}  // namespace

}  // namespace regard::translation

extern "C" {

// launcher.cpp finds these two by their names. Both sides are built by one compiler, so C++ types may pass.
regard::translation::Processes* regard_connect_mpi() {
  return std::make_unique<regard::translation::MpiProcesses>().release();
}

void regard_mpi_version(std::string* text) {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  // One line such as "Open MPI v4.1.4, package: …", or several such as "MPICH Version:<tab>4.0.2".
  *text = std::string(version.data(), static_cast<std::size_t>(length));
  *text = text->substr(0, text->find_first_of(",\n"));
  std::erase(*text, ':');
  std::ranges::replace(*text, '\t', ' ');
}
}
