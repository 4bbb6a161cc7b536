// The only file that includes mpi.h. It is built as a module by itself (connect.cpp loads it).
#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <mpi.h>
#include <numeric>
#include <type_traits>

#include "apps/processes/network.h"
#include "autograd/machine/error.h"

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
    fail("a message of {} bytes or numbers is too long for MPI", size);
  return static_cast<int>(size);
}

class MpiNetwork : public Network {
 public:
  MpiNetwork() {
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_));
    check(MPI_Comm_size(MPI_COMM_WORLD, &count_));
  }
  ~MpiNetwork() override { MPI_Finalize(); }

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
    check(MPI_Bcast(numbers.data(), to_int(numbers.size()), MPI_FLOAT, 0, MPI_COMM_WORLD));
  }

  void exchange(std::span<const Transfer> sent, std::span<const Transfer> received) override {
    std::vector<MPI_Request> requests;
    for (const auto& [process, numbers] : received)
      check(MPI_Irecv(numbers.data(), to_int(numbers.size()), MPI_FLOAT, static_cast<int>(process), 0,
                      MPI_COMM_WORLD, &requests.emplace_back()));
    for (const auto& [process, numbers] : sent)
      check(MPI_Isend(numbers.data(), to_int(numbers.size()), MPI_FLOAT, static_cast<int>(process), 0,
                      MPI_COMM_WORLD, &requests.emplace_back()));
    check(MPI_Waitall(to_int(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  }

  void abort() override { MPI_Abort(MPI_COMM_WORLD, 1); }

 private:
  int rank_ = 0, count_ = 1;
};

}  // namespace

}  // namespace regard::translation

extern "C" {

// connect.cpp finds these two by their names. Both sides are built by one compiler, so C++ types may pass.
regard::translation::Network* regard_connect_mpi() {
  return std::make_unique<regard::translation::MpiNetwork>().release();
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
