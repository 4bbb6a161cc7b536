#include "autograd/low_precision/onednn_library.h"

#include <array>
#include <dlfcn.h>
#include <fmt/format.h>

#include "autograd/machine/error.h"

namespace regard::onednn {

namespace {

/// The functions of the library, by their names without "dnnl_".
struct Functions {
  decltype(&dnnl_version) version;
  decltype(&dnnl_engine_create) engine_create;
  decltype(&dnnl_stream_create) stream_create;
  decltype(&dnnl_stream_destroy) stream_destroy;
  decltype(&dnnl_memory_create) memory_create;
  decltype(&dnnl_memory_destroy) memory_destroy;
  decltype(&dnnl_memory_set_data_handle) memory_set_data_handle;
  decltype(&dnnl_memory_desc_get_size) memory_desc_get_size;
  decltype(&dnnl_primitive_create) primitive_create;
  decltype(&dnnl_primitive_destroy) primitive_destroy;
  decltype(&dnnl_primitive_execute) primitive_execute;
  decltype(&dnnl_primitive_desc_destroy) primitive_desc_destroy;
  decltype(&dnnl_primitive_desc_query) primitive_desc_query;
  decltype(&dnnl_primitive_desc_query_md) primitive_desc_query_md;
  decltype(&dnnl_primitive_attr_create) primitive_attr_create;
  decltype(&dnnl_primitive_attr_destroy) primitive_attr_destroy;
  decltype(&dnnl_primitive_attr_set_post_ops) primitive_attr_set_post_ops;
  decltype(&dnnl_post_ops_create) post_ops_create;
  decltype(&dnnl_post_ops_destroy) post_ops_destroy;
  decltype(&dnnl_post_ops_append_sum) post_ops_append_sum;
  decltype(&dnnl_reorder_primitive_desc_create) reorder_primitive_desc_create;
#if DNNL_VERSION_MAJOR >= 3
  decltype(&dnnl_memory_desc_create_with_strides) memory_desc_create_with_strides;
  decltype(&dnnl_memory_desc_create_with_tag) memory_desc_create_with_tag;
  decltype(&dnnl_memory_desc_clone) memory_desc_clone;
  decltype(&dnnl_memory_desc_destroy) memory_desc_destroy;
  decltype(&dnnl_matmul_primitive_desc_create) matmul_primitive_desc_create;
#else
  decltype(&dnnl_memory_desc_init_by_strides) memory_desc_init_by_strides;
  decltype(&dnnl_memory_desc_init_by_tag) memory_desc_init_by_tag;
  decltype(&dnnl_matmul_desc_init) matmul_desc_init;
  decltype(&dnnl_primitive_desc_create) primitive_desc_create;
#endif
};

struct Loaded {
  Library library;
  Functions call = {};
  dnnl_engine_t engine = nullptr;
};

void check(dnnl_status_t status, const char* what) {
  if (status == dnnl_unimplemented) fail("oneDNN has no {} for this processor", what);
  if (status == dnnl_out_of_memory) throw OutOfMemory(fmt::format("out of memory: oneDNN's {}", what));
  if (status != dnnl_success) fail("oneDNN refused a {} (status {})", what, static_cast<int>(status));
}

/// Looks up all functions. Returns the name of one that the library lacks, or null.
const char* find_functions(Functions& call, void* handle) {
  const char* missing = nullptr;
  const auto find = [&]<class Function>(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    if (function == nullptr) missing = name;
  };
  find(call.version, "dnnl_version");
  find(call.engine_create, "dnnl_engine_create");
  find(call.stream_create, "dnnl_stream_create");
  find(call.stream_destroy, "dnnl_stream_destroy");
  find(call.memory_create, "dnnl_memory_create");
  find(call.memory_destroy, "dnnl_memory_destroy");
  find(call.memory_set_data_handle, "dnnl_memory_set_data_handle");
  find(call.memory_desc_get_size, "dnnl_memory_desc_get_size");
  find(call.primitive_create, "dnnl_primitive_create");
  find(call.primitive_destroy, "dnnl_primitive_destroy");
  find(call.primitive_execute, "dnnl_primitive_execute");
  find(call.primitive_desc_destroy, "dnnl_primitive_desc_destroy");
  find(call.primitive_desc_query, "dnnl_primitive_desc_query");
  find(call.primitive_desc_query_md, "dnnl_primitive_desc_query_md");
  find(call.primitive_attr_create, "dnnl_primitive_attr_create");
  find(call.primitive_attr_destroy, "dnnl_primitive_attr_destroy");
  find(call.primitive_attr_set_post_ops, "dnnl_primitive_attr_set_post_ops");
  find(call.post_ops_create, "dnnl_post_ops_create");
  find(call.post_ops_destroy, "dnnl_post_ops_destroy");
  find(call.post_ops_append_sum, "dnnl_post_ops_append_sum");
  find(call.reorder_primitive_desc_create, "dnnl_reorder_primitive_desc_create");
#if DNNL_VERSION_MAJOR >= 3
  find(call.memory_desc_create_with_strides, "dnnl_memory_desc_create_with_strides");
  find(call.memory_desc_create_with_tag, "dnnl_memory_desc_create_with_tag");
  find(call.memory_desc_clone, "dnnl_memory_desc_clone");
  find(call.memory_desc_destroy, "dnnl_memory_desc_destroy");
  find(call.matmul_primitive_desc_create, "dnnl_matmul_primitive_desc_create");
#else
  find(call.memory_desc_init_by_strides, "dnnl_memory_desc_init_by_strides");
  find(call.memory_desc_init_by_tag, "dnnl_memory_desc_init_by_tag");
  find(call.matmul_desc_init, "dnnl_matmul_desc_init");
  find(call.primitive_desc_create, "dnnl_primitive_desc_create");
#endif
  return missing;
}

Loaded load() {
  Loaded loaded;
  constexpr const char* name = REGARD_ONEDNN_SONAME;
  void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    loaded.library.missing =
        fmt::format("oneDNN ({}) is not installed; install it with: apt-get install libdnnl-dev", name);
    return loaded;
  }
  if (const char* const function = find_functions(loaded.call, handle)) {
    loaded.library.missing = fmt::format("{} has no function {}; install another release", name, function);
    return loaded;
  }
  check(loaded.call.engine_create(&loaded.engine, dnnl_cpu, 0), "engine");
  const dnnl_version_t* const version = loaded.call.version();
  loaded.library.version = fmt::format("oneDNN {}.{}.{}", version->major, version->minor, version->patch);
  return loaded;
}

const Loaded& loaded() {
  static const Loaded once = load();
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
