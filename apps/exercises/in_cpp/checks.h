#pragma once

#include <cstddef>
#include <vector>

/// A matrix of numbers, zeros at first: m(i, j) is the number in row i and column j, both counted from 0.
struct Matrix {
  Matrix(int row_count, int column_count);
  double& operator()(int i, int j) { return numbers[index(i, j)]; }
  double operator()(int i, int j) const { return numbers[index(i, j)]; }
  std::size_t index(int i, int j) const;  ///< throws std::out_of_range for an entry outside

  int rows, columns;
  std::vector<double> numbers;  ///< row by row
};

/// Stands where a function is to be written.
[[noreturn]] void not_filled_in();

struct NeuronGradients {
  double loss, dw, dx, db;
};
struct SoftmaxGradients {
  Matrix y, dx;
};
struct Attention {
  Matrix weights, out;
};

// Each checks a student's function, prints what is wrong, or what to look at next, and returns the exit code.
int check_1(NeuronGradients (*backward)(double w, double x, double b, double t));
int check_2(SoftmaxGradients (*softmax_backward)(const Matrix& x, const Matrix& dy));
int check_3(Attention (*attention)(const Matrix& query, const Matrix& key, const Matrix& value));
int check_4(Matrix (*causal_softmax)(const Matrix& score));
int check_5(Matrix (*multi_head)(const Matrix& query, const Matrix& key, const Matrix& value, int heads));
int check_6(Matrix (*positions)(int n, int d));
