// Exercise 1: the gradient of one neuron, by hand
//
//     z = w x + b        y = tanh(z)        loss = (y - t)^2
//
// All six letters are numbers. t is the target. How does the loss change if w, x or b grows a little? Go
// backward, from the last line to the first (chain rule): dL/dy is the slope of the square, dL/dz = dL/dy (1
// - tanh(z)^2), and so on. In code, dw stands for dL/dw. Then: cmake --build build --target exercise_1
#include "apps/exercises/cpp/checks.h"

using namespace exercises;

/// Returns {loss, dw, dx, db}.
NeuronGradients backward(double /*w*/, double /*x*/, double /*b*/, double /*t*/) { not_filled_in(); }

int main() { return check_1(backward); }
