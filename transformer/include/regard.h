#pragma once

// The whole library but its guests: the engine, the layers, the models and their search. The double-precision
// libraries have the same header.

#include "transformer/transformer.h"
