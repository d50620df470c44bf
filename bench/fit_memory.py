"""What a fit from Python allocates, beside what the same fit from C++ does (bench/fit_memory.cpp).

    PYTHONPATH=build/python python3 bench/fit_memory.py build/bench_fit_memory 1000000 100
"""

import subprocess
import sys

import numpy as np

import tacit


def memory(what: str) -> int:
    """"VmRSS" or "VmHWM" of this process, in bytes."""
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith(f"{what}:"):
                return 1024 * int(line.split()[1])
    raise RuntimeError(what)


def numbers(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    X = np.empty((n, d))
    for i in range(n):
        X[i] = np.arange(i * d, (i + 1) * d) * 7919 % 1009 / 1009 - 0.5
    return X, np.arange(n) % 2


def main(program: str, n: str, d: str) -> None:
    X, y = numbers(int(n), int(d))
    tacit.LogisticRegression(bounds=5.0).fit(X[:1000], y[:1000])  # what the first fit loads is no part of it
    before = memory("VmRSS")
    tacit.LogisticRegression(bounds=5.0).fit(X, y)
    python = memory("VmHWM") - before
    _, cpp = map(int, subprocess.run([program, n, d], capture_output=True, check=True, text=True).stdout.split())
    data = X.nbytes + y.nbytes
    print(f"data {data / 1e6:.0f} MB; a fit allocates {python / 1e6:.1f} MB from Python, {cpp / 1e6:.1f} MB from C++")
    print(f"ratio with the data {(data + python) / (data + cpp):.3f}, without it {python / cpp:.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
