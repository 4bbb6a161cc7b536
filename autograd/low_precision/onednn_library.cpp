#include "autograd/low_precision/onednn_library.h"

#include <array>
#include <fmt/format.h>

#include "autograd/machine/error.h"
#include "autograd/machine/shared_library.h"

namespace regard::onednn {

namespace {

/// The functions of the library, by their names without "dnnl_".
class Functions {
 public:
  explicit Functions(const SharedLibrary& file) : file_(file) {}
  /// The name of a function that the library lacks, or null.
  const char* missing() const { return missing_; }

 private:
  template <class Function>
  Function* find(const char* name) {
    Function* const function = file_.find<Function>(name);
    if (function == nullptr) missing_ = name;
    return function;
  }
  const SharedLibrary& file_;
  const char* missing_ = nullptr;

 public:
#define REGARD_FUNCTION(name) decltype(dnnl_##name)* const name = find<decltype(dnnl_##name)>("dnnl_" #name)
  REGARD_FUNCTION(version);
  REGARD_FUNCTION(engine_create);
  REGARD_FUNCTION(stream_create);
  REGARD_FUNCTION(stream_destroy);
  REGARD_FUNCTION(memory_create);
  REGARD_FUNCTION(memory_destroy);
  REGARD_FUNCTION(memory_set_data_handle);
  REGARD_FUNCTION(memory_desc_get_size);
  REGARD_FUNCTION(primitive_create);
  REGARD_FUNCTION(primitive_destroy);
  REGARD_FUNCTION(primitive_execute);
  REGARD_FUNCTION(primitive_desc_destroy);
  REGARD_FUNCTION(primitive_desc_query);
  REGARD_FUNCTION(primitive_desc_query_md);
  REGARD_FUNCTION(primitive_attr_create);
  REGARD_FUNCTION(primitive_attr_destroy);
  REGARD_FUNCTION(primitive_attr_set_post_ops);
  REGARD_FUNCTION(post_ops_create);
  REGARD_FUNCTION(post_ops_destroy);
  REGARD_FUNCTION(post_ops_append_sum);
  REGARD_FUNCTION(reorder_primitive_desc_create);
#if DNNL_VERSION_MAJOR >= 3
  REGARD_FUNCTION(memory_desc_create_with_strides);
  REGARD_FUNCTION(memory_desc_create_with_tag);
  REGARD_FUNCTION(memory_desc_clone);
  REGARD_FUNCTION(memory_desc_destroy);
  REGARD_FUNCTION(matmul_primitive_desc_create);
#else
  REGARD_FUNCTION(memory_desc_init_by_strides);
  REGARD_FUNCTION(memory_desc_init_by_tag);
  REGARD_FUNCTION(matmul_desc_init);
  REGARD_FUNCTION(primitive_desc_create);
#endif
#undef REGARD_FUNCTION
};

struct Loaded {
  SharedLibrary file{REGARD_ONEDNN_SONAME};
  Functions call{file};
  Library library = {};
  dnnl_engine_t engine = nullptr;

  Loaded();
};

void check(dnnl_status_t status, const char* what) {
  if (status == dnnl_unimplemented) fail("oneDNN has no {} for this processor", what);
  if (status == dnnl_out_of_memory) throw OutOfMemory(fmt::format("out of memory: oneDNN's {}", what));
  if (status != dnnl_success) fail("oneDNN refused a {} (status {})", what, static_cast<int>(status));
}

Loaded::Loaded() {
  constexpr const char* name = REGARD_ONEDNN_SONAME;
  if (!file.loaded()) {
    library.missing =
        fmt::format("oneDNN ({}) is not installed; install it with: apt-get install libdnnl-dev", name);
    return;
  }
  if (call.missing() != nullptr) {
    library.missing = fmt::format("{} has no function {}; install another release", name, call.missing());
    return;
  }
  check(call.engine_create(&engine, dnnl_cpu, 0), "engine");
  const dnnl_version_t* const version = call.version();
  library.version = fmt::format("oneDNN {}.{}.{}", version->major, version->minor, version->patch);
}

const Loaded& loaded() {
  static const Loaded once;
  return once;
}

const Functions& call() { return loaded().call; }

/// The owner of an object of the library.
template <class Object, class Destroy>
std::shared_ptr<Object> owned(Object* object, Destroy destroy) {
  return std::shared_ptr<Object>(object, [destroy](Object* last) { destroy(last); });
}

/// The thread's own stream. It ends with the thread.
dnnl_stream_t stream() {
  thread_local const auto own = [] {
    dnnl_stream_t made = nullptr;
    check(call().stream_create(&made, loaded().engine, dnnl_stream_default_flags), "stream");
    return owned(made, call().stream_destroy);
  }();
  return own.get();
}

}  // namespace

const Library& library() { return loaded().library; }

#if DNNL_VERSION_MAJOR >= 3

Description::Description(Extents extents, dnnl_data_type_t type, low_precision::Strides strides) {
  const dnnl_dims_t dims = {extents.rows, extents.columns}, steps = {strides.row, strides.column};
  dnnl_memory_desc_t made = nullptr;
  check(call().memory_desc_create_with_strides(&made, 2, dims, type, steps), "matrix");
  handle_ = owned(made, call().memory_desc_destroy);
}

Description::Description(Extents extents, dnnl_data_type_t type) {
  const dnnl_dims_t dims = {extents.rows, extents.columns};
  dnnl_memory_desc_t made = nullptr;
  check(call().memory_desc_create_with_tag(&made, 2, dims, type, dnnl_format_tag_any), "matrix");
  handle_ = owned(made, call().memory_desc_destroy);
}

Description::Description(DescriptionHandle handle) {
  dnnl_memory_desc_t made = nullptr;
  check(call().memory_desc_clone(&made, handle), "matrix");
  handle_ = owned(made, call().memory_desc_destroy);
}

#else

Description::Description(Extents extents, dnnl_data_type_t type, low_precision::Strides strides)
    : handle_(std::make_shared<dnnl_memory_desc_t>()) {
  const dnnl_dims_t dims = {extents.rows, extents.columns}, steps = {strides.row, strides.column};
  check(call().memory_desc_init_by_strides(handle_.get(), 2, dims, type, steps), "matrix");
}

Description::Description(Extents extents, dnnl_data_type_t type)
    : handle_(std::make_shared<dnnl_memory_desc_t>()) {
  const dnnl_dims_t dims = {extents.rows, extents.columns};
  check(call().memory_desc_init_by_tag(handle_.get(), 2, dims, type, dnnl_format_tag_any), "matrix");
}

Description::Description(DescriptionHandle handle) : handle_(std::make_shared<dnnl_memory_desc_t>(*handle)) {}

#endif

std::size_t Description::bytes() const { return call().memory_desc_get_size(handle()); }

Description PrimitiveDescription::weights() const {
  return Description(call().primitive_desc_query_md(handle(), dnnl_query_weights_md, 0));
}

std::string PrimitiveDescription::implementation() const {
  const char* name = nullptr;
  check(call().primitive_desc_query(handle(), dnnl_query_impl_info_str, 0, static_cast<void*>(&name)),
        "name");
  return name;
}

ProductDescription::ProductDescription(const Description& a, const Description& b, const Description& c,
                                       blas::Store store) {
  dnnl_primitive_attr_t created = nullptr;
  check(call().primitive_attr_create(&created), "attribute");
  const auto attribute = owned(created, call().primitive_attr_destroy);
  if (store == blas::Store::add) {
    dnnl_post_ops_t made = nullptr;
    check(call().post_ops_create(&made), "sum");
    const auto post_ops = owned(made, call().post_ops_destroy);
#if DNNL_VERSION_MAJOR >= 3
    check(call().post_ops_append_sum(made, 1, 0, dnnl_data_type_undef), "sum");
#else
    check(call().post_ops_append_sum(made, 1), "sum");
#endif
    check(call().primitive_attr_set_post_ops(created, made), "sum");
  }
  dnnl_primitive_desc_t made = nullptr;
#if DNNL_VERSION_MAJOR >= 3
  check(call().matmul_primitive_desc_create(&made, loaded().engine, a.handle(), b.handle(), nullptr,
                                            c.handle(), created),
        "product");
#else
  dnnl_matmul_desc_t product;
  check(call().matmul_desc_init(&product, a.handle(), b.handle(), nullptr, c.handle()), "product");
  check(call().primitive_desc_create(&made, &product, created, loaded().engine, nullptr), "product");
#endif
  handle_ = owned(made, call().primitive_desc_destroy);
}

ReorderDescription::ReorderDescription(const Description& from, const Description& to) {
  dnnl_primitive_desc_t made = nullptr;
  check(call().reorder_primitive_desc_create(&made, from.handle(), loaded().engine, to.handle(),
                                             loaded().engine, nullptr),
        "copy");
  handle_ = owned(made, call().primitive_desc_destroy);
}

Primitive::Primitive(const PrimitiveDescription& description) {
  dnnl_primitive_t made = nullptr;
  check(call().primitive_create(&made, description.handle()), "product");
  primitive_ = owned(made, call().primitive_destroy);
}

void Primitive::add_operand(int argument, const Description& description) {
  dnnl_memory_t made = nullptr;
  check(call().memory_create(&made, description.handle(), loaded().engine, DNNL_MEMORY_NONE), "operand");
  memories_.push_back(owned(made, call().memory_destroy));
  arguments_.push_back({argument, made});
}

void Primitive::run(std::initializer_list<const void*> operands) const {
  auto memory = memories_.begin();
  for (const void* const operand : operands)
    check(call().memory_set_data_handle((memory++)->get(), const_cast<void*>(operand)), "operand");
  check(call().primitive_execute(primitive_.get(), stream(), static_cast<int>(arguments_.size()),
                                 arguments_.data()),
        "product");
}

}  // namespace regard::onednn
