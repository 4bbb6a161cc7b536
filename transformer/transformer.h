#pragma once

// All of regard's library: the engine, the layers, the models and their search.

#include "autograd/autograd.h"
#include "nn/layers.h"
#include "nn/module.h"
#include "nn/multi_head_attention.h"
#include "nn/optimisers.h"
#include "nn/safetensors.h"
#include "transformer/attention_layers.h"
#include "transformer/encoder_decoder.h"
#include "transformer/scheduled_sampling.h"
#include "transformer/search/search.h"
#include "transformer/self_attention/transformer.h"
#include "transformer/teacher_forcing.h"
