"""There are no graphics cards here: regard computes on the CPU. Programs that ask get this answer."""

from .missing import absent


def is_available() -> bool:
    """False. PyTorch: torch.cuda.is_available, on a computer without a graphics card.

    >>> regard.device("cuda" if regard.cuda.is_available() else "cpu")
    device(type='cpu')"""
    return False


def device_count() -> int:
    """0. PyTorch: torch.cuda.device_count.

    >>> regard.cuda.device_count()
    0"""
    return 0


__all__ = ["device_count", "is_available"]
globals()["__getattr__"] = absent("regard.cuda")
