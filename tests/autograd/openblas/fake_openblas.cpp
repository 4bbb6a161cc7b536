// Takes the place of an OpenBLAS that is older than the processor: it picks the kernels of 2004 unless told
// otherwise, and as the real one does, it reads the environment once, when it is loaded.
#include <cstdlib>

namespace {
const char* core = "Prescott";

[[gnu::constructor]] void choose_core() {
  if (const char* const wanted = std::getenv("OPENBLAS_CORETYPE")) core = wanted;
}

template <class T>
void gemm(int transpose_a, int transpose_b, int m, int n, int k, const T* a, int a_stride, const T* b,
          int b_stride, T beta, T* c, int c_stride) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      T sum = 0;
      for (int l = 0; l < k; ++l)
        sum += a[transpose_a == 112 ? l * a_stride + i : i * a_stride + l] *
               b[transpose_b == 112 ? j * b_stride + l : l * b_stride + j];
      c[i * c_stride + j] = sum + (beta == 0 ? 0 : beta * c[i * c_stride + j]);
    }
}
}  // namespace

extern "C" {
const char* openblas_get_corename() { return core; }
const char* openblas_get_config() { return "OpenBLAS 0.0.0 for tests"; }
void openblas_set_num_threads(int) {}
void cblas_sgemm(int, int transpose_a, int transpose_b, int m, int n, int k, float, const float* a,
                 int a_stride, const float* b, int b_stride, float beta, float* c, int c_stride) {
  gemm(transpose_a, transpose_b, m, n, k, a, a_stride, b, b_stride, beta, c, c_stride);
}
void cblas_dgemm(int, int transpose_a, int transpose_b, int m, int n, int k, double, const double* a,
                 int a_stride, const double* b, int b_stride, double beta, double* c, int c_stride) {
  gemm(transpose_a, transpose_b, m, n, k, a, a_stride, b, b_stride, beta, c, c_stride);
}
}
