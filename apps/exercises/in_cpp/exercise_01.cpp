// Exercise 1: the gradient of one neuron, by hand. exercise_01.py says what to do.
#include "apps/exercises/in_cpp/checks.h"

/// z = w x + b, y = tanh(z), loss = (y - t)^2. Returns {loss, dw, dx, db}: the loss and its gradients.
NeuronGradients backward(double /*w*/, double /*x*/, double /*b*/, double /*t*/) { not_filled_in(); }

int main() { return check_1(backward); }
