"""Memory and time of a fit from encoded cells under a memory limit, beside those of the fit from the table.

    python3 bench/mapped_fit.py build/tacit --rows 10000000 --columns 20 --limit 536870912 --table
    python3 bench/mapped_fit.py build/tacit --rows 100000000 --columns 20 --limit 2000000000
    python3 bench/mapped_fit.py build/tacit --rows 10000000 --columns 20 --limit 536870912 --disk 100000000 -- --threads 2

The limit is a memory cgroup's, which counts the pages of a mapped file until it drops them, or, where no group can
be made, RLIMIT_DATA, which counts what a process allocates. `--table` fits from the table too, without a limit.
Beside each stands what the process had the disk read, and beside the fit the disk's own rate: the encoded file read
from its beginning to its end, before and after the fit, with its pages dropped first.
`--disk RATE` lets the fit, and that read, have so many bytes a second of the disk and no more, by a cgroup of block
devices. The same fit with the file in memory and no limit, run last, tells what the processors have to do. A fit
cannot take less time than the disk needs for what was read, nor than the processors need: the larger of the two, over
the time that it took, is printed; 1 is as fast as can be.
Anything after `--` goes to `tacit fit`.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path


class Group:
    """A cgroup of our own with a memory limit; `made` is false where there is none to be had. With a rate, its
    processes read so many bytes a second of the disk that the folder is on, and no group is an error."""

    def __init__(self, limit: int, rate: int | None, folder: Path):
        tree = Path("/sys/fs/cgroup")
        v1 = (tree / "memory").is_dir()
        name = f"tacit_bench_{os.getpid()}_{rate}"
        disk = f"{os.major(folder.stat().st_dev)}:{os.minor(folder.stat().st_dev)}"
        settings = [(tree / "memory" / name / "memory.limit_in_bytes" if v1 else tree / name / "memory.max", str(limit))]
        if rate and v1:
            settings.append((tree / "blkio" / name / "blkio.throttle.read_bps_device", f"{disk} {rate}"))
        elif rate:
            settings.append((tree / name / "io.max", f"{disk} rbps={rate}"))
        self.limit, self.paths, self.made = limit, [], True
        try:
            for file, value in settings:
                if not file.parent.is_dir():
                    file.parent.mkdir()
                    self.paths.append(file.parent)
                file.write_text(value)
        except OSError:
            self.close()
            self.made = False
            if rate:
                raise

    def enter(self) -> None:
        for path in self.paths:
            (path / "cgroup.procs").write_text(str(os.getpid()))
        if not self.made:
            resource.setrlimit(resource.RLIMIT_DATA, (self.limit, self.limit))

    def close(self) -> None:
        for path in self.paths:
            path.rmdir()
        self.paths = []


def processor_seconds() -> float:
    """Of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command: list[str], group: Group | None) -> dict[str, float]:
    """Seconds, and those of processors, bytes that the disk read, and the most memory that the process had at once:
    its own, and with the file's pages."""
    begin, used = time.monotonic(), processor_seconds()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, preexec_fn=group.enter if group else None)
    most = {"RssAnon": 0, "VmRSS": 0}
    disk = 0
    while child.poll() is None:
        try:
            for line in Path(f"/proc/{child.pid}/status").read_text().splitlines():
                key, _, value = line.partition(":")
                if key in most:
                    most[key] = max(most[key], 1024 * int(value.split()[0]))
            for line in Path(f"/proc/{child.pid}/io").read_text().splitlines():
                if line.startswith("read_bytes:"):
                    disk = int(line.split()[1])
        except (OSError, IndexError, ValueError):
            pass
        time.sleep(0.02)
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit code {child.returncode}")
    return {"seconds": time.monotonic() - begin, "processors": processor_seconds() - used, "own": most["RssAnon"],
            "all": most["VmRSS"], "disk": disk}


def disk_rate(path: Path, group: Group) -> float:
    """Bytes a second of one sequential read in the group, none of them from memory."""
    def drop_pages() -> None:
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    drop_pages()
    begin = time.monotonic()
    subprocess.run(["dd", f"if={path}", "of=/dev/null", "bs=4M", "status=none"], check=True, preexec_fn=group.enter)
    seconds = time.monotonic() - begin
    drop_pages()
    return path.stat().st_size / seconds


def write_table(path: Path, rows: int, columns: int) -> None:
    """Rows whose class depends on the first columns; a few thousand different ones, in random order."""
    rng = random.Random(1)
    lines = []
    for _ in range(5000):
        x = [rng.random() for _ in range(columns)]
        y = rng.random() < (0.8 if x[0] + x[1] > 1 else 0.2)
        lines.append(",".join(f"{v:.3f}" for v in x) + f",{int(y)}\n")
    with path.open("w") as file:
        file.write(",".join(f"x{k}" for k in range(columns)) + ",y\n")
        for done in range(0, rows, 10000):
            file.write("".join(rng.choices(lines, k=min(10000, rows - done))))


def schema(columns: int) -> str:
    number = {"type": "numeric", "min": 0, "max": 1}
    return json.dumps({"columns": {f"x{k}": number for k in range(columns)},
                       "target": {"column": "y", "classes": ["0", "1"]}})


def report(what: str, found: dict[str, float]) -> None:
    print(f"{what:26} {found['seconds']:8.1f} s {found['own'] / 1e6:9.0f} MB own {found['all'] / 1e6:9.0f} MB "
          f"with pages of files {found['disk'] / 1e6:9.0f} MB from the disk "
          f"({found['disk'] / 1e6 / found['seconds']:.0f} MB/s) {found['processors']:8.1f} s of processors", flush=True)


def report_share(limited: dict[str, float], warm: dict[str, float], rate: float, cores: int) -> None:
    disk, processors = limited["disk"] / rate, warm["processors"] / cores
    print(f"at least {disk:.1f} s for the disk, {processors:.1f} s for {cores} of the processors; the fit took "
          f"{limited['seconds']:.1f} s: {max(disk, processors) / limited['seconds']:.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--limit", type=int, default=2**28)
    parser.add_argument("--folder", default=None)
    parser.add_argument("--disk", type=int, default=None, metavar="RATE")
    parser.add_argument("--table", action="store_true")
    given = sys.argv[1:]
    ours = given.index("--") if "--" in given else len(given)
    asked, more = parser.parse_args(given[:ours]), given[ours + 1:]
    with tempfile.TemporaryDirectory(dir=asked.folder) as name:
        folder = Path(name)
        table, encoded, described = folder / "t.csv", folder / "t.tacit", folder / "schema.json"
        write_table(table, asked.rows, asked.columns)
        described.write_text(schema(asked.columns))
        group = Group(asked.limit, None, folder)
        slow = Group(asked.limit, asked.disk, folder) if asked.disk else group
        print(f"limit {asked.limit / 1e6:.0f} MB by {'a cgroup' if group.made else 'RLIMIT_DATA'}")
        fit = ["--epsilon", "1", "--model", str(folder / "m.json"), *more]
        try:
            report("encode", run([asked.tool, "encode", str(table), "--schema", str(described), "--output",
                                  str(encoded)], group))
            print(f"table {table.stat().st_size / 1e6:.0f} MB, encoded {encoded.stat().st_size / 1e6:.0f} MB")
            if not asked.table:
                table.unlink()
            before = disk_rate(encoded, slow)
            limited = run([asked.tool, "fit", str(encoded), *fit], slow)
            report("fit, encoded, limited", limited)
            after = disk_rate(encoded, slow)
            print(f"the disk alone, one sequential read: {before / 1e6:.0f} MB/s before, {after / 1e6:.0f} MB/s after",
                  flush=True)
        finally:
            slow.close()
            group.close()
        if asked.disk:
            run(["cat", str(encoded)], None)
            warm = run([asked.tool, "fit", str(encoded), *fit], None)
            report("fit, encoded, in memory", warm)
            threads = int(more[more.index("--threads") + 1]) if "--threads" in more else os.cpu_count() or 1
            report_share(limited, warm, max(before, after), threads)
        if asked.table:
            report("fit, encoded, no limit", run([asked.tool, "fit", str(encoded), *fit], None))
            report("fit, table, no limit",
                   run([asked.tool, "fit", str(table), "--schema", str(described), *fit], None))


if __name__ == "__main__":
    main()
