// State_dicts of PyTorch: both formats are read, and a pickle that does anything else is refused.
#include "apps/exchange/pytorch_file.h"

#include "apps/exchange/zip_archive.h"
#include "tests/apps/support.h"
#include "tests/catch.h"
#include "tests/temporary_directory.h"
#include "tests/zip.h"

using namespace regard;
using namespace regard::exchange;
using namespace regard::tests;
using namespace std::string_literals;

namespace {

std::string fixture(const std::string& name) { return REGARD_FIXTURES "/marian/" + name; }

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
  return text;
}

// Instructions of a pickle.
const std::string begin = "\x80\x02", stop = ".";
std::string text(const std::string& value) { return "X" + little_endian(value.size(), 4) + value; }
std::string number(std::uint32_t value) { return "J" + little_endian(value, 4); }
std::string name(const std::string& module, const std::string& what) {
  return "c" + module + "\n" + what + "\n";
}
std::string tuple(const std::vector<std::string>& items) {
  std::string all = "(";
  for (const std::string& item : items) all += item;
  return all + "t";
}
std::string storage(const std::string& type, const std::string& key, std::uint32_t numbers) {
  return tuple({text("storage"), name("torch", type), text(key), text("cpu"), number(numbers)}) + "Q";
}
std::string tensor(const std::string& of_storage, std::uint32_t first, const std::vector<std::string>& shape,
                   const std::vector<std::string>& strides) {
  return name("torch._utils", "_rebuild_tensor_v2") +
         tuple({of_storage, number(first), tuple(shape), tuple(strides), "\x89",
                name("collections", "OrderedDict") + ")R"}) +
         "R";
}
std::string dictionary(const std::string& key, const std::string& value) {
  return begin + "}" + text(key) + value + "s" + stop;
}

std::string complaint(const std::string& pickle) {
  return MESSAGE_OF(state_dict(Pickles(pickle, "the file", 1)[0], "the file"));
}

std::string torch_archive(const std::string& pickle, const std::string& numbers) {
  return zip_archive({{"model/data.pkl", pickle}, {"model/data/0", numbers}});
}

std::string bytes_of_floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

void read_all(const std::string& path) {
  const PytorchFile file(path);
  for (const auto& [tensor_name, shape] : file.shapes()) file.read(tensor_name);
}

const std::string two_by_three =
    tensor(storage("FloatStorage", "0", 8), 1, {number(2), number(3)}, {number(3), number(1)});

}  // namespace

TEST_CASE("a state_dict made by hand: names, shapes and numbers", "[import]") {
  const TemporaryDirectory directory;
  const std::string numbers = bytes_of_floats({9, 1, 2, 3, 4, 5, 6, 9});
  const PytorchFile file(directory.file("weights", torch_archive(dictionary("w", two_by_three), numbers)));
  CHECK(file.shapes() == std::map<std::string, Shape>{{"w", {2, 3}}});
  const Tensor read = file.read("w", {2, 3});
  for (Index i = 0; i < 6; ++i) CHECK(read.data()[i] == static_cast<Real>(i + 1));
  CHECK_CONTAINS(MESSAGE_OF(file.read("w", {3, 2})), "w: expected [3, 2], is [2, 3]");
}

TEST_CASE("both formats of torch.save are read, and refused if they end early", "[import]") {
  const TemporaryDirectory directory;
  for (const std::string model : {"two_vocabularies", "untied"}) {  // the second is older than PyTorch 1.6
    const std::string path = fixture(model) + "/pytorch_model.bin", bytes = content(path);
    const PytorchFile file(path);
    CHECK(file.shapes().at("model.encoder.layers.1.fc1.weight") == Shape{24, 16});
    for (std::size_t size :
         {std::size_t{0}, std::size_t{3}, bytes.size() / 3, bytes.size() - 40, bytes.size() - 1}) {
      INFO(model << " " << size);
      const std::string cut = directory.file("cut", bytes.substr(0, size));
      CHECK_CONTAINS(MESSAGE_OF(read_all(cut)), cut);
    }
  }
}

TEST_CASE("a pickle that calls something is refused, and nothing is called", "[import]") {
  const TemporaryDirectory directory;
  const std::string made = directory / "made";
  const std::string call = begin + name("os", "system") + tuple({text("touch " + made)}) + "R" + stop;
  CHECK_CONTAINS(complaint(call), "asks for os system");
  CHECK_CONTAINS(complaint(begin + name("builtins", "eval") + tuple({text("1")}) + "R" + stop),
                 "builtins eval");
  CHECK_CONTAINS(complaint(begin + name("torch", "load") + stop), "torch load");
  CHECK_CONTAINS(complaint(begin + name("torch.storage", "_load_from_bytes") + stop), "_load_from_bytes");
  CHECK_CONTAINS(complaint(begin + "i" + "os\nsystem\n" + stop), "instruction 0x69");
  CHECK_CONTAINS(complaint("\x80\x04\x95"s + little_endian(3, 8) + stop), "protocol 4");
  CHECK_CONTAINS(complaint(begin + text("os") + text("system") + "\x93" + stop), "instruction 0x93");
  CHECK_CONTAINS(complaint(begin + name("collections", "OrderedDict") + tuple({text("x")}) + "R" + stop),
                 "calls collections OrderedDict with other arguments");
  CHECK_CONTAINS(complaint(begin + name("torch", "FloatStorage") + ")R" + stop), "with other arguments");
  CHECK_CONTAINS(MESSAGE_OF(PytorchFile(directory.file("call", torch_archive(call, "")))), "os system");
  CHECK_CONTAINS(MESSAGE_OF(PytorchFile(directory.file("legacy", call))), "os system");
  CHECK_FALSE(std::filesystem::exists(made));
}

TEST_CASE("damaged pickles are refused in a sentence", "[import]") {
  const std::string whole = dictionary("w", two_by_three);
  CHECK_CONTAINS(complaint(whole), "no error was thrown");
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_CONTAINS(complaint(whole.substr(0, size)), "the file cannot be read as a state_dict of PyTorch");
  for (const std::string& pickle :
       {begin + "h\x01.",
        begin + "t.",
        begin + "s.",
        begin + "NN.",
        begin + "(.",
        begin + "}NNNu.",
        begin + "Q.",
        begin + "NR.",
        begin + "Nb.",
        begin + "]N}s.",
        begin + "K\x05.",
        begin + text("x") + ".",
        begin + "}K\x01" + two_by_three + "s.",
        dictionary("w", "N"),
        dictionary("w", two_by_three + "0"),
        dictionary("w", storage("FloatStorage", "0", 8)),
        dictionary("w", tensor("N", 0, {}, {})),
        dictionary("w", tensor(storage("FloatStorage", "0", 8), 0, {number(2)}, {})),
        dictionary("w", tensor(storage("FloatStorage", "0", 8), 0, {number(0x80000000)}, {number(1)})),
        dictionary("w", tensor(storage("FloatStorage", std::string(101, 'x'), 8), 0, {}, {}))})
    CHECK_CONTAINS(complaint(pickle), "the file cannot be read as a state_dict of PyTorch");
  CHECK_CONTAINS(complaint(begin + "}" + text("w") + two_by_three + "s" + text("w") + two_by_three + "s."),
                 "w occurs twice");
  // Nested a million times, made a million times: no limit of the machine is reached.
  CHECK_CONTAINS(complaint(begin + ")" + std::string(1'000'000, '\x85') + stop), "too many values");
  CHECK_CONTAINS(complaint(begin + ")" + std::string(100'000, '\x85') + stop), "no dictionary");
}

TEST_CASE("tensors that do not lie in their storage are refused", "[import]") {
  const TemporaryDirectory directory;
  const auto message = [&](const std::string& of_tensor, const std::string& numbers) {
    const std::string path = directory.file("weights", torch_archive(dictionary("w", of_tensor), numbers));
    return MESSAGE_OF(PytorchFile(path).read("w"));
  };
  const std::string eight = bytes_of_floats({1, 2, 3, 4, 5, 6, 7, 8}),
                    floats = storage("FloatStorage", "0", 8);
  CHECK_CONTAINS(message(two_by_three, eight), "no error was thrown");
  const auto rows = [&](std::uint32_t first, std::uint32_t out, std::uint32_t in, std::uint32_t stride) {
    return message(tensor(floats, first, {number(out), number(in)}, {number(stride), number(1)}), eight);
  };
  CHECK_CONTAINS(rows(3, 2, 3, 3), "w of shape [2, 3] does not lie in its storage");
  CHECK_CONTAINS(rows(9, 1, 1, 1), "does not lie in its storage");
  CHECK_CONTAINS(rows(0, 2, 3, 4), "does not lie in its storage");
  CHECK_CONTAINS(rows(0, 0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF), "does not lie in its storage");
  CHECK_CONTAINS(rows(0, 1000000, 0, 0), "no error was thrown");
  CHECK_CONTAINS(message(tensor(storage("LongStorage", "0", 8), 0, {number(8)}, {number(1)}), eight),
                 "w is a LongStorage");
  CHECK_CONTAINS(message(two_by_three, eight + "x"), "has 33 bytes, but its tensors need 32");
  CHECK_CONTAINS(
      message(tensor(storage("FloatStorage", "../../etc/passwd", 8), 0, {number(8)}, {number(1)}), eight),
      "etc/passwd is missing");
}

TEST_CASE("zip archives: what is damaged, compressed or twice is refused", "[import]") {
  const TemporaryDirectory directory;
  const auto message = [&](const std::vector<ZipMember>& members) {
    return MESSAGE_OF(PytorchFile(directory.file("weights", zip_archive(members))).read("w"));
  };
  const std::string pickle = dictionary("w", two_by_three),
                    numbers = bytes_of_floats({0, 1, 2, 3, 4, 5, 6, 7});
  CHECK_CONTAINS(message({{"m/data.pkl", pickle}, {"m/data/0", numbers}}), "no error was thrown");
  CHECK_CONTAINS(message({{"m/data.pkl", pickle}}), "the member m/data/0 is missing");
  CHECK_CONTAINS(message({{"m/data", pickle}}), "it has no member data.pkl");
  CHECK_CONTAINS(message({{"m/data.pkl", pickle}, {"m/data/0", numbers}, {"m/byteorder", "big"}}),
                 "highest byte comes first");
  // 30 bytes that unpack to 32 and to 4 GB.
  CHECK_CONTAINS(message({{"m/data.pkl", pickle}, {"m/data/0", "x", 8, 32}}), "m/data/0 is compressed");
  CHECK_CONTAINS(message({{"m/data.pkl", "x", 8, 0xF0000000}}), "data.pkl has 4026531840 bytes");
  CHECK_CONTAINS(message({{"m/data.pkl", "x", 8, 1000}}), "data.pkl is compressed");
  const std::string whole =
      dictionary("w", tensor(storage("FloatStorage", "0", 8), 0, {number(8)}, {number(1)}));
  CHECK_CONTAINS(message({{"m/data.pkl", whole}, {"m/data/0", numbers, 0, 0, 1}}), "m/data/0");
  CHECK_CONTAINS(message({{"m/data.pkl", pickle}, {"m/data.pkl", pickle}}), "occurs twice");
  CHECK_CONTAINS(MESSAGE_OF(PytorchFile(directory.file("weights", "PK\x03\x04 and no more"))), "zip archive");
  CHECK_CONTAINS(MESSAGE_OF(PytorchFile(directory.file("weights", "something else"))),
                 "no file of torch.save");
}
