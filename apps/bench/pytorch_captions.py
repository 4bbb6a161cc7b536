"""Models that read images in PyTorch, with the equations of the presets of regard. For pytorch_train.py.

  xu2015  convolutions with a layer norm over the channels of each pixel and a ReLU, positions, an LSTM decoder with
          additive attention that looks with its last state
  vit     patches with a pre-norm Transformer

Both have one matrix for target embedding and output. The images are random, all of one size, and the captions have the
same lengths as in apps/bench/training.cpp.
"""
import math

import torch
from torch import nn

PRESETS = ("xu2015", "vit")
WORDS, BATCHES, SHORTEST, LONGEST = 64, 8, 8, 24  # 60 words and 4 special tokens


def sinusoids(count, width):
    angle = torch.arange(float(count)).unsqueeze(1) / 10000 ** (torch.arange(0, width, 2) / width)
    return torch.stack([angle.sin(), angle.cos()], 2).flatten(1)


def plane_positions(height, width, columns):
    of_row, of_column = sinusoids(height, columns // 2), sinusoids(width, columns // 2)
    return torch.cat([of_row[:, None].expand(-1, width, -1), of_column[None].expand(height, -1, -1)], 2).flatten(0, 1)


class ChannelNorm(nn.LayerNorm):
    """A layer norm over the channels of each pixel of [images, channels, height, width]."""

    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class ConvolutionalEncoder(nn.Module):
    def __init__(self, width, dropout, positions):
        super().__init__()
        layers, before = [], 3
        for channels, stride in zip((32, 64, 96, 128), (2, 2, 2, 1)):
            layers += [nn.Conv2d(before, channels, 3, stride, 1), ChannelNorm(channels), nn.ReLU()]
            before = channels
        self.layers, self.projection, self.dropout = nn.Sequential(*layers), nn.Linear(before, width), nn.Dropout(dropout)
        self.register_buffer("positions", plane_positions(positions, positions, before))

    def forward(self, images):
        x = self.layers(images).permute(0, 2, 3, 1).flatten(1, 2)
        return self.dropout(self.projection(x + self.positions).relu())


class AttentionDecoder(nn.Module):
    """c_t = attention(s_(t-1)), s_t = cell([y; c_t], s_(t-1)), o_t = tanh(W [s; c; y])."""

    def __init__(self, width, dropout):
        super().__init__()
        self.first = nn.ModuleList(nn.Linear(width, width) for _ in range(2))
        self.cell = nn.LSTMCell(2 * width, width)
        self.score_state, self.score_memory = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.score, self.output = nn.Linear(width, 1, bias=False), nn.Linear(3 * width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, y, memory):
        y, mean = self.dropout(y), memory.mean(1)
        s, c = (torch.tanh(layer(mean)) for layer in self.first)
        keys, states, contexts = self.score_memory(memory), [], []
        for t in range(y.size(1)):
            weights = self.score(torch.tanh(self.score_state(s).unsqueeze(1) + keys)).squeeze(2).softmax(1)
            contexts.append(torch.bmm(weights.unsqueeze(1), memory).squeeze(1))
            s, c = self.cell(torch.cat([y[:, t], contexts[-1]], 1), (s, c))
            states.append(s)
        o = torch.tanh(self.output(torch.cat([torch.stack(states, 1), torch.stack(contexts, 1), y], 2)))
        return self.dropout(o)


class PatchEncoder(nn.Module):
    def __init__(self, dropout, positions):
        super().__init__()
        self.patches = nn.Conv2d(3, 128, 8, 8)
        layer = nn.TransformerEncoderLayer(128, 4, 256, dropout, "gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 4, nn.LayerNorm(128), enable_nested_tensor=False)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("positions", plane_positions(positions, positions, 128))

    def forward(self, images):
        return self.layers(self.dropout(self.patches(images).flatten(2).transpose(1, 2) + self.positions))


class TransformerDecoder(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        layer = nn.TransformerDecoderLayer(128, 4, 256, dropout, "gelu", batch_first=True, norm_first=True)
        self.layers, self.dropout = nn.TransformerDecoder(layer, 2, nn.LayerNorm(128)), nn.Dropout(dropout)

    def forward(self, y, memory):
        causal = torch.ones(y.size(1), y.size(1), dtype=torch.bool).triu(1)
        y = self.dropout(y + sinusoids(y.size(1), 128))
        return self.layers(y, memory, tgt_mask=causal, tgt_is_causal=True)


class Captioner(nn.Module):
    def __init__(self, preset, image_size, dropout):
        super().__init__()
        width = 256 if preset == "xu2015" else 128
        self.embedding = nn.Embedding(WORDS, width)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        if preset == "xu2015":
            self.encoder = ConvolutionalEncoder(width, dropout, image_size // 8)
            self.decoder = AttentionDecoder(width, dropout)
        else:
            self.encoder, self.decoder = PatchEncoder(dropout, image_size // 8), TransformerDecoder(dropout)

    def forward(self, images, target):
        y = self.embedding(target) * math.sqrt(self.embedding.embedding_dim)
        return nn.functional.linear(self.decoder(y, self.encoder(images)), self.embedding.weight)


def random_captions(image_size, images, layout):
    """Returns the batches: pixels as bytes, the decoder's input and its output."""
    batches = []
    for batch in range(BATCHES):
        pixels = torch.randint(0, 256, (images, 3, image_size, image_size), dtype=torch.uint8)
        lengths = [SHORTEST + (batch * images + i) % (LONGEST - SHORTEST + 1) for i in range(images)]
        words = [torch.randint(4, WORDS, (length,)) for length in lengths]
        pad = lambda rows: nn.utils.rnn.pad_sequence(rows, batch_first=True)
        begin, end = torch.tensor([1]), torch.tensor([2])
        target_input, target = pad([torch.cat([begin, w]) for w in words]), pad([torch.cat([w, end]) for w in words])
        batches.append((pixels.contiguous(memory_format=layout), target_input, target))
    return batches
