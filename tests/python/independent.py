"""Models to verify, changes to make to them, and both verifiers: the tool's and scripts/verify_independent.py."""

import copy
import hashlib
import importlib.util
import math
import os
import pathlib
import re
from fractions import Fraction

from conftest import run_tool

SOURCE = pathlib.Path(os.environ["TACIT_SOURCE"])
OLD = SOURCE / "tests" / "models" / "v1"
SCRIPT = SOURCE / "scripts" / "verify_independent.py"
plan = importlib.util.spec_from_file_location("verify_independent", SCRIPT)
verifier = importlib.util.module_from_spec(plan)
plan.loader.exec_module(verifier)

# What both say of a changed file may differ where the change is about accuracy alone. The tool works these out again, too.
FOR_ACCURACY = (
    ("posterior-exact", r"options\.(predicted_acceptance|curvature_limit)|assumed_public\.row_norm_bound",
     "the predicted acceptance decides whether a fit starts, nothing else"),
    ("o2nc-(single|first|multi)", r"options\.(stationarity_bound|gap|step_size|averaging)", "what a bound on stationarity is worked out from, nothing else"),
)

BUDGETS = {"pure": ["--epsilon", "2"], "approx": ["--epsilon", "2", "--delta", "1e-5"], "gaussian": ["--mu", "1"]}
FEW = ["--target", "z", "--radius", "2", "--schema", OLD / "few.schema.json"]
PEOPLE = ["--schema", OLD / "y.schema.json"]
VISITS = ["--user", "who", "--epsilon", "8", "--delta", "1e-3", *PEOPLE]
RECORDS = ["--records", "700"]
RANGES = ["--target", "y", "--range-share", "0.3"]
NO_BLOCKS = ["--encoder", "linear-v1"]  # with a delta the noise is Gaussian then, else shaped by the blocks
O2NC = [*PEOPLE, "--steps", "18", "--directions", "2"]
# name: table and flags, of a fit in the current format
QUICK = {
    "limited-objective": ("people.csv", "limited-objective", BUDGETS["pure"] + PEOPLE),
    "limited-objective-hats": ("people.csv", "limited-objective", BUDGETS["pure"] + PEOPLE + ["--encoder", "hats", "--neighbours", "zero_out"]),
    "limited-objective-delta": ("people.csv", "limited-objective", BUDGETS["approx"] + PEOPLE + ["--neighbours", "replace_one"]),
    "limited-objective-gaussian": ("people.csv", "limited-objective", BUDGETS["approx"] + PEOPLE + NO_BLOCKS),
    "constant": ("people.csv", "auto", ["--epsilon", "0.01", *PEOPLE]),
    "constant-delta": ("people.csv", "auto", ["--epsilon", "0.01", "--delta", "1e-6", *PEOPLE]),
    "ranges": ("people.csv", "limited-objective", BUDGETS["pure"] + RANGES),
    "ranges-delta": ("people.csv", "dp-sgd", BUDGETS["approx"] + RANGES),
    "limited-output": ("people.csv", "limited-output", BUDGETS["gaussian"] + PEOPLE),
    "double-output": ("few.csv", "double-output", BUDGETS["pure"] + FEW),
    "localized": ("people.csv", "localized", BUDGETS["pure"] + PEOPLE),
    "net-exponential": ("few.csv", "net-exponential", BUDGETS["pure"] + FEW),
    "localized-exponential": ("few.csv", "localized-exponential", BUDGETS["pure"] + FEW + ["--loss", "absolute"]),
    "tuned": ("people.csv", "tuned", BUDGETS["pure"] + PEOPLE),
    "localized-places": ("people.csv", "localized", BUDGETS["pure"] + PEOPLE + RECORDS),
    "tuned-replaced": ("people.csv", "tuned", BUDGETS["pure"] + PEOPLE + ["--neighbours", "replace_one"]),
    "dp-sgd": ("people.csv", "dp-sgd", BUDGETS["approx"] + PEOPLE + ["--neighbours", "add_remove"] + RECORDS),
    "dp-sgd-theorem": ("people.csv", "dp-sgd", BUDGETS["approx"] + PEOPLE + ["--schedule", "constrained", "--radius", "2", "--moment-order", "3"]),
    "o2nc-single": ("people.csv", "o2nc-single", BUDGETS["approx"] + O2NC + ["--period", "4"]),
    "o2nc-first": ("people.csv", "o2nc-first", BUDGETS["gaussian"] + O2NC),
    "o2nc-multi": ("people.csv", "o2nc-multi", BUDGETS["gaussian"] + O2NC + ["--period", "4"]),
    "o2nc-sampled": ("people.csv", "o2nc-sampled", BUDGETS["approx"] + O2NC),
    "dp-gd": ("people.csv", "dp-gd", BUDGETS["approx"] + PEOPLE + ["--neighbours", "add_remove"] + RECORDS),
    "posterior-exact": ("people.csv", "posterior-exact", BUDGETS["gaussian"] + PEOPLE),
    "posterior-softmax": ("people.csv", "posterior-exact", BUDGETS["gaussian"] + ["--schema", OLD / "k.schema.json"]),
    "asap-mala": ("people.csv", "asap-mala", BUDGETS["pure"] + PEOPLE + ["--mala-steps", "20"]),
    "user-sgd": ("visits.csv", "user-sgd", ["--user", "who"] + BUDGETS["approx"] + PEOPLE),
    "user-phased": ("visits.csv", "user-phased", VISITS),
    "user-erm": ("visits.csv", "user-erm", VISITS + ["--spread", "5", "--iterations", "3"]),
    "user-group": ("visits.csv", "user-group", ["--user", "who"] + BUDGETS["approx"] + PEOPLE),
}
SHARDS = ["--shards", "3"]
for method in ("limited-objective", "localized", "tuned", "o2nc-single", "o2nc-multi", "o2nc-sampled", "posterior-exact"):
    QUICK[f"{method}-in-shards"] = (*QUICK[method][:2], QUICK[method][2] + SHARDS)


def every_offer():
    """Each method with each notion and relation: those that the tool refuses are not offered."""
    people = {name: (table, flags) for name, (table, method, flags) in QUICK.items() if name == method}
    for method, (table, flags) in people.items():
        base = without(flags, "--epsilon", "--delta", "--mu", "--neighbours", "--records")
        for notion, budget in BUDGETS.items():
            strong = ["--epsilon", "8", "--delta", "1e-3"] if method in ("user-phased", "user-erm") else budget
            for relation in ("replace_one", "zero_out", "add_remove"):
                count = [] if relation != "add_remove" else ["--user-count", "480"] if method.startswith("user") else RECORDS
                yield f"{method}.{notion}.{relation}", (table, method, base + strong + ["--neighbours", relation] + count)


def without(flags, *names):
    kept, skip = [], False
    for flag in flags:
        skip, dropped = flag in names, skip
        if not skip and not dropped:
            kept.append(flag)
    return kept


def variants():
    """Further parts of the format."""
    y, z, k = (["--schema", OLD / f"{c}.schema.json"] for c in "yzk")
    pure, three = BUDGETS["pure"], ["--epsilon", "3"]
    return {
        "ranges-replaced": ("people.csv", "limited-objective", BUDGETS["approx"] + RANGES + ["--neighbours", "replace_one"]),
        "ranges-number": ("people.csv", "limited-objective", pure + ["--target", "z", "--range-share", "0.5"]),
        "ranges-users": ("visits.csv", "user-sgd", BUDGETS["approx"] + RANGES + ["--user", "who"]),
        "softmax": ("people.csv", "limited-objective", three + k),
        "softmax-hats": ("people.csv", "limited-objective", three + k + ["--encoder", "hats"]),
        "linear": ("people.csv", "limited-objective", three + y + ["--encoder", "linear", "--neighbours", "add_remove"] + RECORDS),
        "softmax-delta": ("people.csv", "limited-objective", three + k + NO_BLOCKS + ["--delta", "1e-5", "--neighbours", "replace_one"]),
        "softmax-delta-null": ("people.csv", "limited-objective", three + k + NO_BLOCKS + ["--delta", "1e-5"]),
        "squared-delta": ("people.csv", "limited-objective", three + z + NO_BLOCKS + ["--delta", "1e-5", "--neighbours", "replace_one"]),
        "squared-delta-null": ("people.csv", "limited-objective", three + z + NO_BLOCKS + ["--delta", "1e-5"]),
        "one-number-delta": ("few.csv", "limited-objective", three + FEW + NO_BLOCKS + ["--no-intercept", "--delta", "1e-5"]),
        "huber": ("people.csv", "limited-output", three + z + ["--loss", "huber", "--loss-parameter", "0.5"]),
        "pinball": ("people.csv", "limited-objective", three + z + ["--loss", "pinball", "--loss-parameter", "0.9"]),
        "poisson": ("people.csv", "limited-objective", three + z + ["--loss", "poisson"]),
        "network": ("people.csv", "dp-sgd", three + y + ["--delta", "1e-5", "--loss", "tanh-network", "--hidden", "3"]),
        "sizes": ("few.csv", "limited-output", three + ["--target", "z", "--no-intercept", "--range-share", "0"]),
        "columns": ("few.csv", "limited-objective", ["--epsilon", "5", "--target", "z", "--column-share", "0.3", "--neighbours", "replace_one"]),
        "pulled": ("people.csv", "dp-gd", BUDGETS["gaussian"] + y + ["--regularisation", "0.1"]),
        **{f"theorem-{name}-{iterate}": ("people.csv", "dp-sgd", three + y + ["--delta", "1e-5", "--schedule", name, "--iterate", iterate])
           for name in ("interpolation", "unconstrained", "growth", "nonconvex") for iterate in ("average", "last", "random")},
        "clip-norm": ("people.csv", "dp-sgd", three + y + ["--delta", "1e-5", "--clip-norm", "private-min"]),
        "samples": ("people.csv", "posterior-exact", ["--mu", "1", "--samples", "3"] + y),
        "ball": ("people.csv", "posterior-exact", ["--mu", "1", "--samples", "2", "--localisation", "0.3"] + y),
        "chains": ("people.csv", "asap-mala", ["--mu", "1", "--samples", "2", "--mala-steps", "20"] + y),
        "blocks": ("people.csv", "localized", three + y + ["--failure", "0.1"]),
        "inner-objective": ("people.csv", "localized", three + y + ["--solver", "limited-objective"]),
        "inner-double": ("few.csv", "localized", three + FEW + ["--solver", "double-output"]),
        "inner-net": ("few.csv", "localized", three + FEW + ["--solver", "net-exponential"]),
        "inner-net-ball": ("few.csv", "localized", three + FEW + [
            "--solver", "net-exponential", "--net-points", "500", "--loss", "absolute", "--smoothing", "ball"]),
        "inner-net-ball-replaced": ("few.csv", "localized", three + FEW + ["--neighbours", "replace_one",
            "--solver", "net-exponential", "--net-points", "500", "--loss", "absolute", "--smoothing", "ball"]),
        "inner-objective-replaced": ("people.csv", "localized", three + y + ["--solver", "limited-objective", "--neighbours", "replace_one"]),
        "inner-objective-places": ("people.csv", "localized", three + y + ["--solver", "limited-objective", *RECORDS]),
        "extension": ("few.csv", "double-output", three + FEW + ["--oracle", "extension"]),
        "tuned-places": ("people.csv", "tuned", three + y + RECORDS),
        "net-ball": ("few.csv", "net-exponential", three + FEW + ["--loss", "absolute", "--smoothing", "ball"]),
        "settings": ("few.csv", "tuned", pure + without(FEW, "--radius") + [
            "--encoder", "linear", "--settings",
            "limited-output:radius=2; double-output:radius=2; localized; localized-exponential:radius=2; limited-objective:slope-limit=1"]),
        "settings-replaced": ("few.csv", "tuned", pure + without(FEW, "--radius") + ["--neighbours", "replace_one",
            "--encoder", "linear", "--settings",
            "limited-output:radius=2; double-output:radius=2; localized; localized-exponential:radius=2; limited-objective:slope-limit=1"]),
        "tree": ("people.csv", "o2nc-single", BUDGETS["approx"] + O2NC + ["--period", "4", "--prefix-sums", "tree"]),
        "worst": ("people.csv", "o2nc-multi", BUDGETS["approx"] + O2NC + ["--period", "4", "--bound", "worst"]),
        "worst-pass": ("people.csv", "o2nc-single", BUDGETS["approx"] + O2NC + ["--period", "4", "--bound", "worst"]),
        "frame": ("people.csv", "o2nc-single", BUDGETS["approx"] + O2NC + ["--period", "4", "--bound", "frame"]),
        "frame-multi": ("people.csv", "o2nc-multi", BUDGETS["gaussian"] + O2NC + ["--period", "4", "--bound", "frame", "--smoothing", "1"]),
        "share": ("people.csv", "o2nc-multi", BUDGETS["gaussian"] + O2NC + ["--period", "2", "--bound", "frame", "--smoothing", "1000"]),
        "theorem": ("people.csv", "o2nc-single", BUDGETS["approx"] + PEOPLE + ["--schedule", "theorem", "--smoothing", "1", "--gap", "2", "--period", "4"]),
        "changes": ("people.csv", "o2nc-sampled", BUDGETS["approx"] + O2NC + ["--period", "4", "--smoothing", "1"]),
        "phased-spread": ("visits.csv", "user-phased", VISITS + ["--spread", "5"]),
        "phased-theorem": ("visits.csv", "user-phased", VISITS + ["--schedule", "theorem"]),
        "erm-theorem": ("visits.csv", "user-erm", VISITS + ["--schedule", "theorem", "--smoothness", "0.001"]),
        "erm-chosen": ("visits.csv", "user-erm", VISITS + ["--iterations", "3"]),
        "erm-sampled": ("visits.csv", "user-erm", VISITS + ["--iterations", "3", "--sampling", "sample", "--batch", "100", "--spread", "5"]),
    }


def fitted(folder, name, fit):
    """The model of a fit, or None where the tool does not offer it."""
    table, method, flags = fit
    path = folder / f"{name}.json"
    outcome = run_tool("fit", OLD / table, "--method", method, *flags, "--model", path)
    assert outcome.returncode in (0, 64), f"{name}: {outcome.stderr}"
    return path if outcome.returncode == 0 else None


def verdicts(path):
    """Exit codes and reasons: (independent, tool)."""
    try:
        result = verifier.verify(path)
        holds_what_it_states(result)
        own = 0, "holds"
    except verifier.Refused as reason:
        own = 1, str(reason)
    except verifier.Malformed as reason:
        own = 65, str(reason)
    outcome = run_tool("verify", path)
    return own, (outcome.returncode, outcome.stderr.strip())


def holds_what_it_states(result):
    """What is accepted is not below what was worked out again."""
    for name, needed in result["recomputed"].items():
        assert result["guarantee"][name] >= needed * (1 - 1e-9), result


def numbers(value, path=()):
    if isinstance(value, dict):
        for key in value:
            yield from numbers(value[key], (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from numbers(each, (*path, index))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path


def members(value, path=()):
    """Steps, inner steps and assumptions: each can be left out."""
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key in ("steps", "inner", "assumptions") and isinstance(each, list):
            yield from ((*path, key, index) for index in range(len(each)))
        yield from members(each, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def changed(value, factor):
    if isinstance(value, int):
        return value - 1 if factor < 1 else value + 1
    return with_one_spelling(float(value) * factor) if value else 0.25


def with_one_spelling(number):
    """A double next to this one that Python and tacit write alike.

    Both seek the fewest digits that read back, but tacit passes over those at the very edge of what does. Fifteen digits are the
    fewest, and no others are as few; so it takes fifteen that are well within.
    """
    while True:
        text = f"{number:.15g}"
        if abs(Fraction(text) - Fraction(float(text))) < Fraction(math.ulp(float(text))) / 5:
            return float(text)
        number *= 1 + 1e-14


def mutations(model, factors):
    """Pairs of what was changed and the changed model: numbers, things left out, other relations."""
    certificate = model["certificate"]

    def edited(path, edit):
        fresh = copy.deepcopy(model)
        edit(at(fresh, ("certificate", *path[:-1])), path[-1])
        return fresh

    def scaled(factor):
        return lambda holder, key: holder.__setitem__(key, changed(holder[key], factor))

    for path in numbers(certificate):
        for factor in factors:
            yield f"{'.'.join(map(str, path))} by {factor}", edited(path, scaled(factor))
    for path in members(certificate):
        yield f"without {'.'.join(map(str, path))}", edited(path, lambda holder, key: holder.__delitem__(key))
    for relation in ("replace_one", "zero_out", "add_remove"):
        if relation != certificate["neighbours"]:
            other = edited(("neighbours",), lambda holder, key, to=relation: holder.__setitem__(key, to))
            yield f"neighbours {relation}", other
            if "neighbours" in certificate["options"]:
                other = copy.deepcopy(other)
                other["certificate"]["options"]["neighbours"] = relation
                yield f"neighbours and options {relation}", other


def sealed(model, path):
    """Writes a model with a digest that fits."""
    rest = {key: value for key, value in model.items() if key not in ("digest", "signature")}
    rest["digest"] = "sha256:" + hashlib.sha256(verifier.written(rest).encode()).hexdigest()
    path.write_text(as_it_was(rest))
    return path


def as_it_was(value):
    """Members in the order in which they were read: that of a schema's columns says which answer is about which."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{verifier.written(key)}:{as_it_was(each)}" for key, each in value.items()) + "}"
    return "[" + ",".join(map(as_it_was, value)) + "]" if isinstance(value, list) else verifier.written(value)


def for_accuracy(method, what):
    return any(re.fullmatch(name, method) and re.search(path, what) for name, path, _ in FOR_ACCURACY)


def states_hardly_more(refusal):
    """The tool wants the very epsilon that the steps give; the second verifier has a bracket, and one just above is in it."""
    found = re.search(r"states epsilon = ([\d.e+-]+), but the steps give ([\d.e+-]+)", refusal)
    return bool(found) and 0 <= float(found[1]) - float(found[2]) <= 1e-5 * float(found[2])


def disagreements(path, folder, factors, choose):
    """What the two verifiers say differently of changed copies of a model, but for what is about accuracy alone."""
    model = verifier.read(path)
    found = []
    for what, other in choose(list(mutations(model, factors))):
        own, tool = verdicts(sealed(other, folder / "changed.json"))
        assert "digest" not in tool[1], f"{path.name}, {what}: {tool[1]}"
        known = tool[0] and (for_accuracy(model["certificate"]["method"], what) or states_hardly_more(tool[1]))
        if (own[0] == 0) != (tool[0] == 0) and not known:
            found.append(f"{path.name}, {what}: independent {own}, tool {tool}")
    return found
