#pragma once

// All of autograd/: tensors, their operations and their gradients.

#include "autograd/gradcheck.h"
#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "autograd/ops.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/ranges.h"
#include "autograd/tensor.h"
