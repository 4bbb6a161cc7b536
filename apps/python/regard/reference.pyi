from . import Segments, Tensor

def attention(query: Tensor, key: Tensor, value: Tensor, segments: Segments | None = None, *, heads: int = 1,
              causal: bool = False, scale: float = 0.0) -> tuple[Tensor, list[Tensor]]: ...
def attention_backward(dout: Tensor, query: Tensor, key: Tensor, value: Tensor, segments: Segments | None = None, *,
                       heads: int = 1, causal: bool = False,
                       scale: float = 0.0) -> tuple[Tensor, Tensor, Tensor]: ...
