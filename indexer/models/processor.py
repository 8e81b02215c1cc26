"""What the machine computes vectors with: whether its processor knows bfloat16, and whether there may be a GPU."""

from __future__ import annotations

import platform
from pathlib import Path

#: Files of the drivers of GPUs on Linux: NVIDIA's, that of Windows below WSL, AMD's.
_DRIVERS = ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd")


def has_bfloat16() -> bool:
    """Whether the processor computes bfloat16 in hardware (without, it is far slower than float32)."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return "amx_bf16" in flags or "avx512_bf16" in flags


def may_have_gpu() -> bool:
    """Whether there may be a GPU that torch can use; only torch, which takes seconds to import, knows for certain."""
    system = platform.system()
    if system == "Windows":
        from ctypes.util import find_library

        return find_library("nvcuda") is not None
    return system != "Linux" or any(Path(driver).exists() for driver in _DRIVERS)
