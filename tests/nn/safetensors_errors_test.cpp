// Files that cannot be read as weights, or not into this module: what is wrong is said, nothing is changed.
#include <filesystem>

#include "autograd/machine/error.h"
#include "nn/layers.h"
#include "nn/safetensors.h"
#include "tests/catch.h"
#include "tests/gzip.h"
#include "tests/nn/safetensors_file.h"
#include "tests/nn/support.h"
#include "tests/temporary_directory.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// The complaint about a file of these bytes; it names the file.
std::string complaint(std::string_view bytes) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("broken.safetensors", bytes);
  const std::string message = MESSAGE_OF(nn::load_safetensors(path));
  CHECK_THAT(message, ContainsSubstring(path) || ContainsSubstring("no error was thrown"));
  return message;
}

/// The complaint about one tensor called w with this entry, beside 16 bytes of numbers.
std::string complaint_about_entry(const std::string& entry) {
  return complaint(safetensors_file("{\"w\":" + entry + "}", bytes_of<double>({1, 2})));
}

std::string complaint_about(const std::string& type, const std::string& shape, const std::string& place) {
  return complaint_about_entry(R"({"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" +
                               place + "}");
}

}  // namespace

TEST_CASE("the entry that the cases below break is right") {
  CHECK_CONTAINS(complaint_about("F64", "[2]", "[0,16]"), "no error was thrown");
  CHECK_CONTAINS(complaint_about("F32", "[2,2]", "[0,16]"), "no error was thrown");
  CHECK_CONTAINS(complaint_about("F32", "[4,1]", "[0,16]"), "no error was thrown");
}

TEST_CASE("files that end early") {
  CHECK_CONTAINS(complaint(""), "shorter than 8 bytes");
  CHECK_CONTAINS(complaint("1234567"), "shorter than 8 bytes");
  const std::string whole = safetensors_file(R"({"w":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}})",
                                             bytes_of<double>({1, 2}));
  for (std::size_t size = 8; size < whole.size(); ++size) {
    INFO(size << " of " << whole.size() << " bytes");
    CHECK_CONTAINS(complaint(whole.substr(0, size)), "truncated or damaged");
  }
  CHECK_CONTAINS(complaint(whole.substr(0, 20)), "its header has 55 bytes, but it has 20 in all");
  CHECK_CONTAINS(complaint(whole.substr(0, whole.size() - 1)), "tensor w");
}

TEST_CASE("headers that are none") {
  const std::string huge = "\xff\xff\xff\xff\xff\xff\xff\xff";
  CHECK_CONTAINS(complaint(huge + "{}"), "its header has 18446744073709551615 bytes");
  for (const char* header : {"", "not json", "{\"w\":", "[]", "3", "null", "\"w\"", "{\"\xff\":1}",
                             "\xef\xbb\xbf{}", "{}{}", "{}x", "{,}", "{}/**/"})
    CHECK_CONTAINS(complaint(safetensors_file(header, "")), "its header is no JSON object");
  CHECK_CONTAINS(complaint(safetensors_file(std::string("{}\0", 3), "")), "its header is no JSON object");
  CHECK_CONTAINS(complaint(safetensors_file(std::string("{}\0garbage", 10), "")),
                 "its header is no JSON object");
}

TEST_CASE("a header may be padded, and has at most 100 MB") {
  for (const char* header : {"{}", "{}   ", "{} \t\r\n", " {}"})
    CHECK_CONTAINS(complaint(safetensors_file(header, "")), "no error was thrown");
  std::string header = "{}";
  header.resize(100'000'000, ' ');
  CHECK_CONTAINS(complaint(safetensors_file(header, "")), "no error was thrown");
  CHECK_CONTAINS(complaint(safetensors_file(header + " ", "")),
                 "its header has 100000001 bytes; the format allows 100000000");
}

TEST_CASE("metadata that are texts, or null, and others") {
  const auto complaint_about_metadata = [](const std::string& metadata) {
    return complaint(safetensors_file("{\"__metadata__\":" + metadata + "}", ""));
  };
  for (const char* metadata : {"null", "{}", R"({"a":"b","c":""})"})
    CHECK_CONTAINS(complaint_about_metadata(metadata), "no error was thrown");
  for (const char* metadata :
       {"[]", "1", "\"a\"", "true", R"({"a":1})", R"({"a":null})", R"({"a":{}})", R"({"a":{"b":"c"}})"}) {
    INFO(metadata);
    CHECK_CONTAINS(complaint_about_metadata(metadata), "its metadata are no object of texts");
  }
  CHECK_CONTAINS(complaint_about_metadata(R"({"a":"b","a":"b"})"), "its header has the name a twice");
  CHECK_CONTAINS(complaint_about_metadata(R"(null,"__metadata__":{})"),
                 "its header has the name __metadata__ twice");
}

TEST_CASE("entries that lack something, or have it in another type") {
  for (const char* entry :
       {R"({"shape":[2],"data_offsets":[0,16]})", R"({"dtype":"F64","data_offsets":[0,16]})",
        R"({"dtype":"F64","shape":[2]})", R"({"dtype":64,"shape":[2],"data_offsets":[0,16]})",
        R"({"dtype":"F64","shape":2,"data_offsets":[0,16]})",
        R"({"dtype":"F64","shape":["2"],"data_offsets":[0,16]})",
        R"({"dtype":"F64","shape":[2],"data_offsets":"0,16"})",
        R"({"dtype":"F64","shape":[2],"data_offsets":{}})",
        R"({"dtype":"F64","shape":null,"data_offsets":[0,16]})", "[]", "null", "7", "\"F64\""}) {
    INFO(entry);
    CHECK_CONTAINS(complaint_about_entry(entry), "the entry of w lacks dtype, shape or data_offsets");
  }
}

TEST_CASE("types that we do not read are named") {
  for (const char* type : {"F8_E4M3", "I64", "BOOL", "f32", ""})
    CHECK_CONTAINS(complaint_about(type, "[2]", "[0,16]"),
                   fmt::format("tensor w is of type {}; only F16, BF16, F32 and F64", type));
}

TEST_CASE("places that do not fit the shape or the file") {
  for (const char* place : {"[0,8]", "[8,24]", "[16,0]", "[0,17]", "[1,16]", "[0]", "[]", "[0,8,16]",
                            "[18446744073709551600,0]", "[0,18446744073709551615]"}) {
    INFO(place);
    CHECK_CONTAINS(complaint_about("F64", "[2]", place),
                   "the place of tensor w does not fit its shape [2] or the file's length");
  }
  for (const char* shape : {"[3]", "[2,2]", "[0]", "[]", "[1]", "[2,0]", "[1000000000000]"})
    CHECK_CONTAINS(complaint_about("F64", shape, "[0,16]"), "the place of tensor w does not fit its shape [");
}

TEST_CASE("tensors lie one behind another, in any order of their names, and cover the file") {
  using Places = std::vector<std::pair<int, int>>;
  const auto complaint_about_places = [](const Places& places, std::size_t bytes) {
    std::string header = "{";
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto [begin, end] = places[i];
      header += fmt::format(R"({}"{}":{{"dtype":"F32","shape":[{}],"data_offsets":[{},{}]}})",
                            i == 0 ? "" : ",", i, (end - begin) / 4, begin, end);
    }
    return complaint(safetensors_file(header + "}", std::string(bytes, 'x')));
  };
  for (const Places& places : {Places{{0, 16}},
                               {{0, 4}, {4, 16}},
                               {{12, 16}, {0, 4}, {4, 12}},
                               {{0, 0}, {0, 16}, {16, 16}},
                               {{0, 8}, {8, 8}, {8, 8}, {8, 16}}})
    CHECK_CONTAINS(complaint_about_places(places, 16), "no error was thrown");
  struct Damage {
    Places places;
    const char* says;
  };
  for (const Damage& damage : {Damage{{{4, 16}}, "byte 0 of the numbers belongs to no tensor"},
                               {{{0, 4}, {8, 16}}, "byte 4 of the numbers belongs to no tensor"},
                               {{{0, 16}, {0, 16}}, "byte 0 of the numbers belongs to two tensors"},
                               {{{0, 12}, {8, 16}}, "byte 8 of the numbers belongs to two tensors"},
                               {{{0, 16}, {4, 4}}, "byte 4 of the numbers belongs to two tensors"},
                               {{{0, 4}, {0, 4}, {8, 16}}, "byte 0 of the numbers belongs to two tensors"},
                               {{{0, 12}}, "byte 12 of the numbers belongs to no tensor"},
                               {{{0, 8}, {16, 16}}, "byte 8 of the numbers belongs to no tensor"},
                               {{}, "byte 0 of the numbers belongs to no tensor"}}) {
    INFO(damage.says);
    CHECK_CONTAINS(complaint_about_places(damage.places, 16), damage.says);
  }
}

TEST_CASE("numbers that are not whole") {
  for (const char* number : {"1.5", "2.0", "2e0", "-2", "-1", "1e3", "18446744073709551616", "true"}) {
    INFO(number);
    CHECK_THAT(complaint_about("F64", fmt::format("[{}]", number), "[0,16]"),
               ContainsSubstring("shape of tensor w has the entry ") &&
                   ContainsSubstring("which is not a whole number of at least 0"));
    CHECK_CONTAINS(complaint_about("F64", "[2]", fmt::format("[0,{}]", number)),
                   "data_offsets of tensor w has the entry ");
  }
  CHECK_CONTAINS(complaint_about("F64", "[1.5]", "[0,16]"), "the entry 1.5,");
}

TEST_CASE("a header of very many tensors, or of very many objects in one entry, takes no long time") {
  std::string header = "{", objects = R"({"dtype":{)";
  for (int i = 0; i < 100'000; ++i) {
    const char* const comma = i == 0 ? "" : ",";
    header += fmt::format(R"({}"w{}":{{"dtype":"F32","shape":[1],"data_offsets":[{},{}]}})", comma, i, 4 * i,
                          4 * i + 4);
    objects += fmt::format(R"({}"{}":{{}})", comma, i);
  }
  const TemporaryDirectory directory;
  const std::string path = directory.file("many", safetensors_file(header + "}", std::string(400'000, 'x')));
  CHECK(nn::SafetensorsFile(path).shapes().size() == 100'000);
  CHECK_CONTAINS(complaint_about_entry(objects + "}}"), "the entry of w lacks dtype");
  CHECK_CONTAINS(complaint(safetensors_file(R"({"__metadata__":)" + objects + "}}}", "")),
                 "its metadata are no object of texts");
}

TEST_CASE("names that an object has twice") {
  const std::string entry = R"({"dtype":"F64","shape":[2],"data_offsets":[0,16]})";
  const std::string numbers = bytes_of<double>({1, 2});
  CHECK_CONTAINS(complaint(safetensors_file(R"({"w":)" + entry + R"(,"w":)" + entry + "}", numbers)),
                 "its header has the name w twice");
  CHECK_CONTAINS(complaint_about("F64", R"([3],"shape":[2])", "[0,16]"),
                 "its header has the name shape twice");
  const std::string empty = R"({"dtype":"F64","shape":[0],"data_offsets":[0,0]})";
  CHECK_CONTAINS(complaint(safetensors_file(R"({"w":)" + entry + R"(,"v":)" + empty + "}", numbers)),
                 "no error was thrown");
  CHECK_CONTAINS(complaint(safetensors_file(R"({"w":)" + entry + R"(,"\u0077":)" + empty + "}", numbers)),
                 "its header has the name w twice");
}

TEST_CASE("shapes whose size would overflow") {
  for (const char* shape :
       {"[4294967296,4294967296]", "[2305843009213693952]", "[2305843009213693954]", "[9223372036854775807]",
        "[9223372036854775807,2]", "[1,2,4611686018427387904,4]", "[3037000500,3037000500,2]",
        "[4611686018427387904,8,0]", "[18446744073709551615]"}) {
    INFO(shape);
    CHECK_THAT(complaint_about("F64", shape, "[0,16]"),
               ContainsSubstring("tensor w of shape [") && ContainsSubstring("does not fit into the file"));
  }
}

TEST_CASE("a changed bit anywhere in a saved file is found") {
  const TemporaryDirectory directory;
  const auto check_tensors = [](const std::string& path) {
    const auto loaded = nn::load_safetensors(path);
    REQUIRE(loaded.size() == 2);
    CHECK(same_bits(loaded.at("w"), Tensor::from({2}, {1, 2})));
    CHECK(same_bits(loaded.at("v"), Tensor::from({1}, {3})));
  };
  nn::save_safetensors(directory / "weights",
                       {{"w", Tensor::from({2}, {1, 2})}, {"v", Tensor::from({1}, {3})}}, {{"step", "7"}});
  const std::string whole = content(directory / "weights");
  CHECK_CONTAINS(complaint(whole), "no error was thrown");
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    INFO("byte " << byte << " of " << whole.size());
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << bit));
      // In the name of the checksum: then the file is as one of others, and its tensors are whole.
      const bool in_name = byte >= 8 && byte < 8 + std::string(R"({"__metadata__":{"crc32":")").size();
      if (in_name && MESSAGE_OF(check_tensors(directory.file("damaged", damaged))).find("(no error") == 0)
        continue;
      CHECK_CONTAINS(complaint(damaged), "truncated or damaged");
    }
  }
}

TEST_CASE("the checksum is the CRC-32 of the file, with zeros in its own place") {
  REQUIRE(crc_32("123456789") == 0xCBF43926);
  const TemporaryDirectory directory;
  nn::save_safetensors(directory / "weights", {{"w", normal({5, 7}, 1)}});
  std::string file = content(directory / "weights").substr(8);
  const std::string before = R"({"__metadata__":{"crc32":")";
  REQUIRE(file.starts_with(before));
  const std::string stored = file.substr(before.size(), 8);
  file.replace(before.size(), 8, "00000000");
  CHECK(crc_32(file) == std::stoul(stored, nullptr, 16));
}

TEST_CASE("metadata of the checksum's name are refused before anything is written") {
  const TemporaryDirectory directory;
  CHECK_THAT(
      MESSAGE_OF(nn::save_safetensors(directory / "weights", {{"w", normal({3}, 1)}}, {{"crc32", "mine"}})),
      ContainsSubstring("save_safetensors: 'crc32' among the metadata") &&
          ContainsSubstring("is the name of the file's own checksum"));
  CHECK_FALSE(std::filesystem::exists(directory / "weights"));
}

TEST_CASE("names that a file cannot have are refused before anything is written") {
  const TemporaryDirectory directory;
  const Tensor x = Tensor::scalar(1);
  const auto refusal = [&](const std::vector<nn::NamedParameter>& tensors,
                           const nn::Metadata& metadata = {}) {
    std::string message = MESSAGE_OF(nn::save_safetensors(directory / "weights", tensors, metadata));
    CHECK(directory.entries() == 0);
    return message;
  };
  CHECK_CONTAINS(refusal({{"w", x}, {"v", x}, {"w", x}}), "cannot have a second tensor with the name w");
  CHECK_CONTAINS(refusal({{"__metadata__", x}}), "cannot have a tensor with the name __metadata__");
  CHECK_CONTAINS(refusal({{"a\xff", x}}),
                 "a name or a text for " + (directory / "weights") + " is not UTF-8");
  CHECK_CONTAINS(refusal({{"w", x}}, {{"a", "\xff"}}), "is not UTF-8");
  CHECK_CONTAINS(refusal({{std::string(100'000'000, 'n'), x}}), "the format allows 100000000");
  nn::save_safetensors(directory / "weights", {{"w", x}, {"W", x}, {"", x}, {"metadata", x}});
  CHECK(nn::load_safetensors(directory / "weights").size() == 4);
}
