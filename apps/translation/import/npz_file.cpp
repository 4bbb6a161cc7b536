#include "apps/translation/import/npz_file.h"

#include <charconv>
#include <optional>
#include <vector>

#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::translation {

namespace {

const std::map<std::string_view, nn::StoredType> types{
    {"<f2", nn::StoredType::float16}, {"<f4", nn::StoredType::float32}, {"<f8", nn::StoredType::float64}};

/// The text between two texts; nothing if one of them is missing.
std::optional<std::string_view> between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string_view::npos) return std::nullopt;
  const std::size_t first = from + begin.size(), last = text.find(end, first);
  if (last == std::string_view::npos) return std::nullopt;
  return text.substr(first, last - first);
}

/// The numbers of "3, 4," or of "3,".
std::optional<std::vector<Index>> extents_of(std::string_view text) {
  std::vector<Index> extents;
  while (!text.empty()) {
    if (text.front() == ' ' || text.front() == ',') {
      text.remove_prefix(1);
      continue;
    }
    Index extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 0) return std::nullopt;
    extents.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return extents;
}

}  // namespace

NpzFile::NpzFile(const std::string& path) : TensorFile(path), archive_(path) {
  constexpr std::string_view suffix = ".npy", magic = "\x93NUMPY";
  constexpr std::uint64_t beginning = 10, longest_header = 10'000;
  for (const auto& [member, size] : archive_.members()) {
    const auto damaged = [&, &name = member]() {
      fail("{}: the member {} is no array of NumPy, or is damaged", path, printable(name));
    };
    if (!member.ends_with(suffix) || size < beginning) damaged();
    const auto next = archive_.open(member);
    const std::string start = next(beginning);  // the mark, the version in two bytes, the length in two bytes
    const auto length = static_cast<std::uint64_t>(static_cast<unsigned char>(start[8])) |
                        static_cast<std::uint64_t>(static_cast<unsigned char>(start[9])) << 8;
    if (!start.starts_with(magic) || start[6] != 1 || length > longest_header || length > size - beginning)
      damaged();
    const std::string header = next(length);
    const auto type = between(header, "'descr': '", "'"), shape = between(header, "'shape': (", ")");
    const auto extents = shape ? extents_of(*shape) : std::nullopt;
    if (!type || !extents || header.find("'fortran_order': False") == std::string::npos) damaged();
    const std::string name = member.substr(0, member.size() - suffix.size());
    const std::uint64_t numbers = beginning + length;
    if (*type == "|i1" || *type == "|u1" || *type == "<i1") texts_.emplace(name, numbers);
    const auto known = types.find(*type);
    if (known == types.end()) continue;
    const auto bytes = nn::stored_size(known->second, *extents);
    if (!bytes || *bytes != size - numbers) damaged();
    places_.emplace(name, Place{member, numbers, known->second});
    shapes_.emplace(name, Shape(*extents));
  }
}

Tensor NpzFile::read(const std::string& name) const {
  const Place& place = places_.at(name);
  const auto next = archive_.open(place.member);
  next(place.header);
  const Tensor tensor = Tensor::empty(shapes_.at(name));
  nn::convert(place.type, next, tensor);
  return tensor;
}

std::string NpzFile::text(const std::string& name, std::uint64_t most) const {
  const auto found = texts_.find(name);
  const std::string member = name + ".npy";
  if (found == texts_.end()) fail("{}: the array {} is missing; is it a model of Marian?", path_, name);
  const std::uint64_t size = archive_.members().at(member) - found->second;
  if (size > most) fail("{}: the array {} has {} bytes, which is too much", path_, name, size);
  const auto next = archive_.open(member);
  next(found->second);
  const std::string text = next(size);
  return text.substr(0, text.find('\0'));
}

}  // namespace regard::translation
