"""scripts/verify_independent.py and the tool say the same of models, old and new, and of changed ones."""

import json
import random
import re
import subprocess
import sys

import pytest
from conftest import run_tool
from independent import BUDGETS, OLD, PEOPLE, QUICK, SCRIPT, disagreements, fitted, sealed, verdicts, verifier

OLD_MODELS = sorted(path for path in OLD.glob("*.json") if not path.name.endswith(".schema.json"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


def test_old_models_hold_as_the_tool_says():
    assert len(OLD_MODELS) > 50
    for path in OLD_MODELS:
        own, tool = verdicts(path)
        refused = path.stem == "plain" or re.search('"kind": *"failure"', path.read_text())  # a step that can fail was counted too low
        assert own[0] == tool[0] == int(bool(refused)), f"{path.name}: independent {own}, tool {tool}"


@pytest.mark.parametrize("name", QUICK)
def test_a_fresh_model_holds_and_some_changes_do_not(name, folder):
    path = fitted(folder, name, QUICK[name])
    assert path is not None
    own, tool = verdicts(path)
    assert own[0] == tool[0] == 0, f"independent {own}, tool {tool}"
    draw = random.Random(name)
    assert disagreements(path, folder, (0.9,), lambda all_of: draw.sample(all_of, min(14, len(all_of)))) == []


@pytest.mark.parametrize("name", ["limited-output.pure.replace_one", "dp-sgd.approx.zero_out", "signed"])
def test_some_changes_of_old_models_do_not_hold(name, folder):
    draw = random.Random(name)
    assert disagreements(OLD / f"{name}.json", folder, (0.9,), lambda all_of: draw.sample(all_of, 12)) == []


def test_columns_in_another_order_are_refused_though_the_digest_holds(folder):
    path = fitted(folder, "limited-objective-hats", QUICK["limited-objective-hats"])
    model = json.loads(path.read_text())
    columns = model["schema"]["columns"]
    assert len(columns) > 1
    model["schema"]["columns"] = dict(reversed(columns.items()))
    other = folder / "reordered.json"
    other.write_text(json.dumps(model))
    own, tool = verdicts(other)
    assert own[0] == tool[0] == 1, f"independent {own}, tool {tool}"
    assert all("in another order than the fit's, or were renamed" in reason for _, reason in (own, tool))


def holding(folder, name, schema, lines):
    """A model of these rows that both verifiers accept as it is."""
    table, described, path = (folder / f"{name}{end}" for end in (".csv", ".schema.json", ".json"))
    table.write_text("\n".join(lines))
    described.write_text(json.dumps(schema))
    outcome = run_tool("fit", table, "--schema", described, "--method", "limited-objective", "--epsilon", "9", "--model", path)
    assert outcome.returncode == 0, outcome.stderr
    own, tool = verdicts(path)
    assert own[0] == tool[0] == 0, f"independent {own}, tool {tool}"
    return path


def test_names_of_features_are_those_that_docs_certificate_lists(folder):
    """Every kind of column, with knots of every kind, indicators and pairs."""
    schema = {
        "columns": {
            "site": {"type": "categorical", "categories": ["a", "b*c"], "missing": "indicator"},
            "odd": {"type": "categorical", "categories": ["indicator"], "missing": "indicator"},
            "age": {"type": "numeric", "min": 18, "max": 90, "knots": 5, "missing": "indicator"},
            "when": {"type": "date", "min": "2024-01-01", "max": "2024-12-30", "knots": 4, "parts": ["hour", "month"], "missing": "indicator"},
            "word": {"type": "hashed", "buckets": 3},
            "note": {"type": "ignore"},
            "pay": {"type": "numeric", "min": -3.5, "max": 12345, "transform": "log1p", "knots": 6},
            "list": {"type": "numeric", "min": 0, "max": 1, "knots": [0.1, 0.25, 0.9]},
        },
        "pairs": [["age", "pay"], ["site", "when.hour"]],
        "target": {"column": "y", "classes": ["no", "yes"]},
    }
    rows = [f"{'ab'[k % 2]},indicator,{18 + k % 70},2024-0{1 + k % 9}-03,w{k % 9},n,{k % 999},{k % 10 / 10},{('no', 'yes')[k % 3 % 2]}" for k in range(600)]
    path = holding(folder, "kinds", schema, ["site,odd,age,when,word,note,pay,list,y", *rows, ""])
    for old, new in (("when@2024-01-01", "when@2024-01-02"), ("pay@12345", "pay@12346"), ("odd=other", "odd=missing"), ("word=#2", "word=#3")):
        model = verifier.read(path)
        model["features"]["names"][model["features"]["names"].index(old)] = new
        own, tool = verdicts(sealed(model, folder / "renamed.json"))
        assert own[0] == tool[0] == 1, f"{new}: independent {own}, tool {tool}"


WRONG = {  # what a schema may not say: where, and what it says there
    "decimal": (("decimal",), ";"),
    "unreadable": (("unreadable",), "zero"),
    "others": (("others",), "keep"),
    "unknown key": (("colour",), "red"),
    "drafted": (("drafted_from_data",), "yes"),
    "user": (("user",), {"name": "x"}),
    "user is a feature": (("user",), {"column": "age"}),
    "target is a feature": (("target", "column"), "age"),
    "one class": (("target", "classes"), ["no"]),
    "class twice": (("target", "classes"), ["no", "no"]),
    "classes and bounds": (("target", "min"), 0),
    "pair of one": (("pairs",), [["age", "age"]]),
    "pair twice": (("pairs",), [["age", "site"], ["site", "age"]]),
    "pair of none": (("pairs",), [["age", "note"]]),
    "type": (("columns", "note", "type"), "text"),
    "key of a column": (("columns", "note", "missing"), "x"),
    "min above max": (("columns", "age", "min"), 91),
    "min is max": (("columns", "age", "min"), 90),
    "missing out of range": (("columns", "age", "missing"), 91),
    "no whole bounds": (("columns", "age", "max"), 90.5),
    "transform": (("columns", "age", "transform"), "sqrt"),
    "no knots": (("columns", "age", "knots"), 0),
    "too many knots": (("columns", "age", "knots"), 1025),
    "one knot": (("columns", "age", "knots"), [20]),
    "knots that fall": (("columns", "age", "knots"), [30, 20]),
    "knots out of range": (("columns", "age", "knots"), [20, 95]),
    "word for knots": (("columns", "age", "knots"), "many"),
    "no categories": (("columns", "site", "categories"), []),
    "category twice": (("columns", "site", "categories"), ["a", "a"]),
    "category of blanks": (("columns", "site", "categories"), ["a", " b"]),
    "other listed": (("columns", "site", "categories"), ["a", "other"]),
    "other too large": (("columns", "site", "other"), 1.5),
    "missing unlisted": (("columns", "site", "missing"), "z"),
    "one bucket": (("columns", "word", "buckets"), 1),
    "key": (("columns", "word", "hash_key"), "12"),
    "date": (("columns", "when", "min"), "2024-13-01"),
    "part": (("columns", "when", "parts"), ["year"]),
    "part twice": (("columns", "when", "parts"), ["hour", "hour"]),
}


@pytest.fixture(scope="module")
def of_every_kind(folder):
    schema = {
        "columns": {
            "site": {"type": "categorical", "categories": ["a", "b"]},
            "age": {"type": "numeric", "min": 18, "max": 90, "integer": True},
            "when": {"type": "date", "min": "2024-01-01", "max": "2024-12-30"},
            "word": {"type": "hashed", "buckets": 3},
            "note": {"type": "ignore"},
        },
        "target": {"column": "y", "classes": ["no", "yes"]},
    }
    rows = [f"{'ab'[k % 2]},{18 + k % 70},2024-0{1 + k % 9}-03,w{k % 9},n,{('no', 'yes')[k % 3 % 2]}" for k in range(300)]
    return holding(folder, "every", schema, ["site,age,when,word,note,y", *rows, ""])


@pytest.mark.parametrize("wrong", WRONG)
def test_a_schema_that_no_fit_takes_is_refused_by_both(wrong, of_every_kind, folder):
    model = verifier.read(of_every_kind)
    place, value = WRONG[wrong]
    holder = model["schema"]
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    own, tool = verdicts(sealed(model, folder / "wrong.json"))
    assert own[0] and tool[0], f"independent {own}, tool {tool}"


def consistent(path, factor):
    """A forger's file: less noise, and every number that follows from it, but for what the noise costs."""
    model = verifier.read(path)
    step = model["certificate"]["steps"][0]
    step["scale"] = float(step["scale"]) * factor
    return model


def test_less_noise_than_the_cost_states_is_refused(folder):
    model = consistent(OLD / "limited-output.pure.replace_one.json", 1 - 1e-9)
    with pytest.raises(verifier.Refused, match="is needed"):
        verifier.verify(sealed(model, folder / "forged.json"))


@pytest.mark.parametrize("name", ["dp-sgd.approx.zero_out", "dp-gd.gaussian.zero_out", "o2nc-multi.gaussian.replace_one", "private-limits", "huber"])
@pytest.mark.parametrize("nonsense", ["inf", "-inf", "nan", "many"])
def test_an_option_or_fact_that_is_no_finite_number_is_refused(name, nonsense, folder):
    for place in ("options", "assumed_public"):
        facts = verifier.read(OLD / f"{name}.json")["certificate"][place]
        for key in (key for key, value in facts.items() if isinstance(value, (int, float))):
            model = verifier.read(OLD / f"{name}.json")
            model["certificate"][place][key] = nonsense
            with pytest.raises((verifier.Refused, verifier.Malformed)):
                verifier.verify(sealed(model, folder / "nonsense.json"))


@pytest.mark.parametrize("name", ["interpolation", "constrained", "unconstrained", "growth", "nonconvex"])
def test_a_bound_on_the_risk_is_worked_out_and_another_is_refused(name, folder):
    told = {"interpolation": [], "constrained": ["--radius", "2", "--moment-order", "3"]}.get(name, ["--moment-order", "3"])
    flags = BUDGETS["approx"] + PEOPLE + ["--schedule", name, "--iterate", "random", *told]
    path = fitted(folder, f"bound-{name}", ("people.csv", "dp-sgd", flags))
    verifier.verify(path)
    for key in ("risk_bound", "clip_norm"):
        model = verifier.read(path)
        options = model["certificate"]["options"]
        changed = float(options[key]) * (1 - 1e-6)
        options[key] = repr(changed) if isinstance(options[key], str) else changed
        with pytest.raises(verifier.Refused, match="risk_bound|clip norm"):
            verifier.verify(sealed(model, folder / "forged.json"))


def test_an_epsilon_just_below_the_account_is_refused(folder):
    model = verifier.read(OLD / "dp-sgd.approx.zero_out.json")
    model["certificate"]["guarantee"]["epsilon"] = float(model["certificate"]["guarantee"]["epsilon"]) - 2e-4
    with pytest.raises(verifier.Refused, match="at least"):
        verifier.verify(sealed(model, folder / "forged.json"))


# The moments accountant has 1.26 for the first (Abadi et al. 2016), which is an upper bound; the others have closed forms.
@pytest.mark.parametrize(
    ("events", "delta", "low", "high"),
    [
        ([({"kind": "poisson-gaussian", "noise_multiplier": 4.0, "rate": 0.01, "steps": 10000}, 1)], 1e-5, 0.9, 1.26),
        ([({"kind": "poisson-gaussian", "noise_multiplier": 2.0, "rate": 1.0, "steps": 4}, 1)], 1e-5, 4.3770, 4.3773),
        ([({"kind": "gaussian", "mu": 1.0}, 1)], 1e-5, 4.3770, 4.3773),
        ([({"kind": "laplace", "epsilon": 1.0}, 1)], 1e-9, 0.99999, 1.0),
        ([({"kind": "pure", "epsilon": 0.5}, 2)], 1e-3, 0.99, 1.0),
        # 0.1 + 0.01 + 2 ln(1 - delta (1 + e^-0.1)): one number has Laplace noise, more have randomised response's bound.
        ([({"kind": "pure", "epsilon": 0.1}, 1), ({"kind": "isotropic-laplace", "epsilon": 0.01, "dimension": 1}, 1)], 1e-3, 0.10618, 0.10619),
        ([({"kind": "pure", "epsilon": 0.1}, 1), ({"kind": "isotropic-laplace", "epsilon": 0.01, "dimension": 2}, 1)], 1e-3, 0.10619, 0.10621),
        # A law that is above the Gaussian's of the same mu, and below it and the cover's epsilon.
        ([({"kind": "gaussian-objective", "mu": 1.0, "jacobian": 0.0, "far": 1, "near": 0}, 1),
          ({"kind": "isotropic-laplace", "epsilon": 0.02, "dimension": 1}, 1)], 1e-5, 4.3770, 4.3973),
    ],
)
def test_the_account_has_a_narrow_bracket_at_the_truth(events, delta, low, high):
    lower, upper = verifier.approximate_epsilon(events, delta)
    assert low <= lower <= upper <= high
    assert upper - lower <= 1e-3


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, check=False)


def test_exit_codes_and_output(folder):
    good, bad = OLD / "squared.json", OLD / "plain.json"
    (folder / "none.json").write_text("{")
    assert [run(path).returncode for path in (good, bad, folder / "none.json", folder / "missing.json")] == [0, 1, 65, 65]
    assert run(good, bad).returncode == 1
    both = [json.loads(line) for line in run("--json", good, bad).stdout.splitlines()]
    assert [each["private"] for each in both] == [True, False]
    assert both[0]["guarantee"]["epsilon"] >= both[0]["recomputed"]["epsilon"] * (1 - 1e-12)
    assert "without any privacy" in both[1]["reason"]


def test_a_reader_that_has_seen_enough_is_no_error():
    with subprocess.Popen([sys.executable, SCRIPT, *OLD_MODELS[:3]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 74


def test_signatures(folder):
    key, signed = OLD / "signer.pub.pem", OLD / "signed.json"
    assert run("--key", key, signed).returncode == 0
    assert run("--key", key, OLD / "squared.json").returncode == 1
    model = verifier.read(signed)
    letter = "B" if model["signature"][20] == "A" else "A"
    model["signature"] = model["signature"][:20] + letter + model["signature"][21:]
    (folder / "signed.json").write_text(verifier.written(model))
    assert "signature does not hold" in run("--key", key, folder / "signed.json").stdout


def test_what_is_no_public_key_is_told_apart_from_a_signature_that_does_not_hold(folder):
    for body in ("MCowBQYDK2VwAyEAabc", "?", "", "MCowBQYDK2VuAyEA" + "A" * 43 + "="):  # the last is of X25519
        (folder / "odd.pem").write_text(f"-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----\n")
        done = run("--key", folder / "odd.pem", OLD / "signed.json")
        assert done.returncode == 64 and "no Ed25519 public key" in done.stdout + done.stderr


def test_what_a_private_schema_cost_is_told_and_cannot_be_made_less_alone(folder):
    table, schema, path = OLD / "people.csv", folder / "found.json", folder / "found_model.json"
    assert run_tool("schema", table, "--target", "y", "--classes", "no,yes", "--epsilon", "2", "--output", schema).returncode == 0
    fit = run_tool("fit", table, "--schema", schema, "--epsilon", "3", "--model", path)
    assert fit.returncode == 0, fit.stderr
    own, tool = verdicts(path)
    assert own[0] == tool[0] == 0, f"independent {own}, tool {tool}"
    told = verifier.verify(path)["schema_cost"]
    assert told in fit.stdout and told.startswith("epsilon = 2 for the schema, epsilon = 5 together with this model")
    for name, value in (("schema_epsilon", 1.0), ("schema_delta", 0.1), ("schema_unit", "user"), ("schema_neighbours", "replace_one"),
                        ("schema_edited", True), ("schema_edited", False), ("schema_source", "public"), ("schema_cost", "epsilon = 2 for the schema"),
                        ("schema_source", None), ("schema_epsilon", None), ("schema_cost", None)):
        model = verifier.read(path)
        facts = model["certificate"]["assumed_public"]
        if value is None:
            del facts[name]
        else:
            facts[name] = value
        own, tool = verdicts(sealed(model, folder / "changed.json"))
        assert own[0] != 0 and tool[0] != 0, f"{name} = {value}: independent {own}, tool {tool}"
    model = verifier.read(path)
    model["certificate"]["guarantee"]["epsilon"] = 2.0
    for _, why in verdicts(sealed(model, folder / "changed.json")):
        assert "schema_cost" not in why, "what is wrong is the guarantee, and what rests on it comes after"


def test_pure_noise_that_a_delta_makes_cheaper_than_was_asked_holds(folder):
    """Objective perturbation takes pure noise where that is less: its epsilon at the delta is below the one that was asked for."""
    for k, (epsilon, delta, relation) in enumerate(((1, 0.01, "zero_out"), (5, 0.01, "zero_out"), (5.651, 0.01, "replace_one"), (0.2335, 3e-4, "zero_out"), (0.01, 0.3, "zero_out"))):
        fit = ("people.csv", "limited-objective", [*PEOPLE, "--epsilon", str(epsilon), "--delta", str(delta), "--neighbours", relation])
        path = fitted(folder, f"cheap-{k}", fit)
        own, tool = verdicts(path)
        assert own[0] == tool[0] == 0, f"epsilon {epsilon}, delta {delta}: independent {own}, tool {tool}"
        model = verifier.read(path)
        model["certificate"]["options"]["epsilon"] = 2.0 * epsilon
        own, tool = verdicts(sealed(model, folder / "changed.json"))
        assert own[0] == tool[0] == 1, f"independent {own}, tool {tool}"


@pytest.mark.parametrize("name", ["dp-sgd", "o2nc-sampled"])
def test_a_replaced_record_of_a_sampled_fit_of_large_epsilon_holds(name, folder):
    flags = {"dp-sgd": ["--epsilon", "30", "--epochs", "0.5"], "o2nc-sampled": ["--epsilon", "20", "--steps", "20"]}[name]
    path = fitted(folder, f"large-{name}", ("people.csv", name, [*PEOPLE, "--delta", "1e-6", *flags]))
    own, tool = verdicts(path)
    assert own[0] == tool[0] == 0, f"independent {own}, tool {tool}"
    model = verifier.read(path)
    model["certificate"]["replaced"]["epsilon"] = 0.99 * float(model["certificate"]["replaced"]["epsilon"])
    own, tool = verdicts(sealed(model, folder / "changed.json"))
    assert own[0] == tool[0] == 1, f"independent {own}, tool {tool}"


@pytest.mark.parametrize("flags", [["--epsilon", "0.005"], ["--epsilon", "0.0002"]])
def test_a_tiny_epsilon_at_a_large_delta_holds(flags, folder):
    path = fitted(folder, f"tiny-{flags[1]}", ("people.csv", "dp-sgd", [*PEOPLE, "--delta", "0.1", *flags]))
    own, tool = verdicts(path)
    assert own[0] == tool[0] == 0, f"independent {own}, tool {tool}"


@pytest.mark.parametrize("odd", ["\u202ex", "a\u200bb", "\x1b[2K", "\u00a0", "\ufeff"])
def test_an_assumption_of_the_caller_shows_what_it_says(odd, folder):
    model = verifier.read(OLD / "squared.json")
    plain = json.loads(json.dumps(model))
    for changed, text, code in ((plain, "the weather", 0), (model, odd, 1)):
        certificate = changed["certificate"]
        certificate["assumptions"].append(text)
        certificate["assumed_public"]["assumptions_of_the_caller"] = 1
        own, tool = verdicts(sealed(changed, folder / "changed.json"))
        assert own[0] == tool[0] == code, f"{text!r}: independent {own}, tool {tool}"


def test_a_file_that_cannot_be_read_leaves_the_others_checked(folder):
    text = (OLD / "signed.json").read_text()
    for k, odd in enumerate((text.replace('"target"', '"\\ud800"', 1), re.sub('"version": ?[12]', '"version": "inf"', text, count=1))):
        (folder / f"odd-{k}.json").write_text(odd)
        assert odd != text
    done = run(folder / "odd-0.json", folder / "odd-1.json", OLD / "squared.json")
    assert done.returncode == 65 and done.stdout.count("no certificate") == 2 and "squared.json: holds" in done.stdout, done


EDITS = {  # where, and what it says there: both verifiers find it
    "radius": (("certificate", "options", "radius"), verifier.AsWritten("1e400")),
    "seed": (("certificate", "options", "seed"), 1.5),
    "records": (("certificate", "assumed_public", "records"), 600.0),
    "iterate": (("certificate", "options", "iterate"), "dp-sgd"),
    "clip_norm": (("certificate", "options", "clip_norm"), "none"),
    "features": (("features", "colour"), "red"),
    "target": (("target", "colour"), "red"),
    "loss": (("loss", "colour"), "red"),
    "number for a signature": (("signature",), 5),
    "null for a signature": (("signature",), None),
    "object for a signature": (("signature",), {}),
    "delta": (("certificate", "guarantee", "delta"), 9.999999999999e-06),
    "delta of replaced": (("certificate", "replaced", "delta"), 9.999999999999e-06),
    "delta of options": (("certificate", "options", "delta"), 9.999999999e-06),
}


@pytest.mark.parametrize("edit", EDITS)
def test_both_find_an_edit_that_promises_nothing_more(edit, folder):
    path = folder / "to-edit.json"
    if not path.exists():
        fit = ("people.csv", "dp-sgd", [*PEOPLE, "--epsilon", "3", "--delta", "1e-5"])
        path = fitted(folder, "to-edit", fit)
    model = verifier.read(path)
    place, value = EDITS[edit]
    holder = model
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    edited = sealed(model, folder / "edited.json")
    if place == ("signature",):  # which a seal leaves out
        edited.write_text(f'{{"signature": {json.dumps(value)}, {edited.read_text()[1:]}')
    own, tool = verdicts(edited)
    assert own[0] and tool[0], f"independent {own}, tool {tool}"


def test_both_find_a_schema_that_is_left_out(folder):
    model = verifier.read(OLD / "huber.json")
    del model["schema"]
    own, tool = verdicts(sealed(model, folder / "edited.json"))
    assert own[0] and tool[0], f"independent {own}, tool {tool}"
