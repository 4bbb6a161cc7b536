#include "apps/exchange/hugging_face_weights.h"

#include <map>
#include <nlohmann/json.hpp>

#include "apps/exchange/pytorch_file.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/json.h"
#include "autograd/machine/error.h"
#include "autograd/machine/files.h"
#include "nn/safetensors.h"

namespace regard::exchange {

namespace {

std::unique_ptr<nn::TensorFile> open(const std::string& path) {
  if (path.ends_with(".safetensors")) return std::make_unique<nn::SafetensorsFile>(path);
  return std::make_unique<PytorchFile>(path);
}

/// The files that an index names: {"weight_map": {"name of a tensor": "name of a file beside it", …}}.
class IndexedFiles : public nn::TensorFile {
 public:
  explicit IndexedFiles(const std::string& index) : TensorFile(index) {
    const translation::Json json = translation::parse_json(read_file(index), index);
    if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object())
      fail("{} has no \"weight_map\" of tensors and files", index);
    const std::string directory = index.substr(0, index.rfind('/') + 1);
    for (const auto& [tensor, file] : json["weight_map"].items()) {
      if (!file.is_string() || file.get<std::string>().find('/') != std::string::npos)
        fail("{}: the file of {} is {}, which is no name of a file", index, tensor,
             translation::printable_value(file));
      const std::string path = directory + file.get<std::string>();
      std::unique_ptr<TensorFile>& part = files_[path];
      if (!part) part = open(path);
      if (!part->has(tensor)) fail("{} has no {}, although {} says so", path, tensor, index);
      shapes_[tensor] = part->shapes().at(tensor);
      file_of_[tensor] = part.get();
    }
  }

  const std::map<std::string, Shape>& shapes() const override { return shapes_; }
  using TensorFile::read;
  Tensor read(const std::string& name) const override { return file_of_.at(name)->read(name); }

 private:
  std::map<std::string, std::unique_ptr<TensorFile>> files_;
  std::map<std::string, const TensorFile*> file_of_;
  std::map<std::string, Shape> shapes_;
};

}  // namespace

std::unique_ptr<nn::TensorFile> weights_of(const std::string& directory) {
  for (const char* const name : {"/model.safetensors", "/pytorch_model.bin"}) {
    const std::string path = directory + name, index = path + ".index.json";
    if (translation::path_exists(path)) return open(path);
    if (translation::path_exists(index)) return std::make_unique<IndexedFiles>(index);
  }
  fail("{} has no weights: model.safetensors and pytorch_model.bin are missing", directory);
}

}  // namespace regard::exchange
