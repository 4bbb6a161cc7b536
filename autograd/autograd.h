#pragma once

// All of autograd/: tensors, their operations and their gradients.

#include "autograd/error.h"
#include "autograd/gradcheck.h"
#include "autograd/graph.h"
#include "autograd/operation.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/layer_norm.h"
#include "autograd/ops/linear.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/recurrence.h"
#include "autograd/ops/reductions.h"
#include "autograd/ops/scores.h"
#include "autograd/ops/selection.h"
#include "autograd/ops/shapes.h"
#include "autograd/ops/softmax.h"
#include "autograd/parallel.h"
#include "autograd/tensor.h"
