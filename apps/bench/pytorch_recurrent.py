"""Recurrent encoder-decoders in PyTorch, with the equations of the guest recurrent. For pytorch_train.py.

  none      GRU; the decoder begins with the encoder's last state (Sutskever et al. 2014)
  luong     GRU; looks with the new state, score `general`, no input feeding (Luong et al. 2015)
  bahdanau  GRU, the encoder in both directions; looks with the last state, score `additive` (Bahdanau et al. 2015)

Without input feeding, the whole target of `none` and `luong` runs through nn.GRU at once. Each step of `bahdanau` needs
the context, so it is a loop over nn.GRUCell; what follows the recurrence is computed for all steps together.
"""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

KINDS = ("none", "luong", "bahdanau")


class Recurrent(nn.Module):
    def __init__(self, vocabulary, kind, width, dropout):
        super().__init__()
        self.kind = kind
        both_directions = kind == "bahdanau"
        self.embedding = nn.Embedding(vocabulary, width)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        self.dropout = nn.Dropout(dropout)
        self.encoder = nn.GRU(width, width // (1 + both_directions), batch_first=True, bidirectional=both_directions)
        if kind == "bahdanau":
            self.first_state = nn.Linear(width // 2, width)
            self.cell = nn.GRUCell(2 * width, width)
            self.score_state = nn.Linear(width, width, bias=False)
            self.score_memory = nn.Linear(width, width, bias=False)
            self.score = nn.Linear(width, 1, bias=False)
            self.output = nn.Linear(3 * width, width)
        else:
            self.decoder = nn.GRU(width, width, batch_first=True)
        if kind == "luong":
            self.general = nn.Linear(width, width, bias=False)
            self.output = nn.Linear(2 * width, width)

    def forward(self, source, target):
        padding = source == 0
        packed = pack_padded_sequence(
            self.dropout(self.embedding(source)), (~padding).sum(1), batch_first=True, enforce_sorted=False)
        rows, last = self.encoder(packed)
        memory = pad_packed_sequence(rows, batch_first=True)[0]
        y = self.dropout(self.embedding(target))
        if self.kind == "bahdanau":
            o = self.steps(y, memory, padding, torch.tanh(self.first_state(last[1])))
        else:
            o = self.decoder(y, last)[0]
        if self.kind == "luong":
            scores = torch.bmm(self.general(o), memory.transpose(1, 2)).masked_fill(padding.unsqueeze(1), -torch.inf)
            contexts = torch.bmm(scores.softmax(2), memory)
            o = torch.tanh(self.output(torch.cat([o, contexts], 2)))
        return nn.functional.linear(self.dropout(o), self.embedding.weight)

    def steps(self, y, memory, padding, s):
        """Context first: c_t = attention(s_(t-1)), s_t = cell([y; c_t], s_(t-1)); then tanh(W [s; c; y])."""
        keys, states, contexts = self.score_memory(memory), [], []
        for t in range(y.size(1)):
            scores = self.score(torch.tanh(self.score_state(s).unsqueeze(1) + keys)).squeeze(2)
            weights = scores.masked_fill(padding, -torch.inf).softmax(1)
            contexts.append(torch.bmm(weights.unsqueeze(1), memory).squeeze(1))
            s = self.cell(torch.cat([y[:, t], contexts[-1]], 1), s)
            states.append(s)
        return torch.tanh(self.output(torch.cat([torch.stack(states, 1), torch.stack(contexts, 1), y], 2)))
