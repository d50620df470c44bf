"""scripts/verify_independent.py and the tool say the same of descriptions, evaluations and schemas, and of changed ones."""

import copy
import json
import os
import random

import pytest
from conftest import run_tool
from independent import OLD, disagreements, sealed, verdicts, verifier

PURE, DELTA = ["--epsilon", "2"], ["--epsilon", "2", "--delta", "1e-5"]
PEOPLE, VISITS, KNOWN = OLD / "people.csv", OLD / "visits.csv", ["--schema", OLD / "y.schema.json"]
GROUP = ["--group", "city=north"]
REPLACED, PRIVATE_COUNT = ["--neighbours", "replace_one"], ["--neighbours", "add_remove"]
STATEMENTS = {
    "describe": ["describe", PEOPLE, *KNOWN, *PURE],
    "describe-delta-replaced": ["describe", PEOPLE, *KNOWN, *DELTA, *REPLACED, "--quantiles", "0.3,0.9", "--bins", "7"],
    "describe-private-count": ["describe", PEOPLE, *KNOWN, *PURE, *PRIVATE_COUNT],
    "describe-users": ["describe", VISITS, *KNOWN, "--user", "who", *PURE, "--statistics", "mean,categories"],
    "describe-group": ["describe", PEOPLE, *KNOWN, *GROUP, *DELTA],
    "describe-unseen": ["describe", PEOPLE, "--epsilon", "6", *PRIVATE_COUNT],
    "describe-unseen-delta": ["describe", PEOPLE, *DELTA, *GROUP],
    "schema": ["schema", PEOPLE, "--target", "y", "--classes", "no,yes", *PURE],
    "schema-delta-replaced": ["schema", PEOPLE, "--target", "y", *DELTA, *REPLACED],
    "schema-long-delta": ["schema", PEOPLE, "--target", "y", "--epsilon", "2", "--delta", "1.23456789e-5"],
    "schema-users": ["schema", VISITS, "--user", "who", "--target", "z", *PURE, *PRIVATE_COUNT],
    "schema-group": ["schema", PEOPLE, "--target", "z", *GROUP, *DELTA],
    "evaluate-y": ["evaluate", "y", PEOPLE, *PURE],
    "evaluate-y-users": ["evaluate", "y", VISITS, "--user", "who", *DELTA, *REPLACED],
    "evaluate-y-private-count": ["evaluate", "y", PEOPLE, *DELTA, *PRIVATE_COUNT],
    "evaluate-k": ["evaluate", "k", PEOPLE, *PURE],
    "evaluate-z": ["evaluate", "z", PEOPLE, *PURE, *PRIVATE_COUNT],
    "evaluate-rows": ["evaluate", "rows", "rows.csv", *PURE],  # of a model without a schema: the layout is guessed
}
# About nothing that is promised: the tool works out again what the numbers below would have become.
FOR_ACCURACY = ("options.confidence", "options.range", "options.cells", "options.bins")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("statements")


def made(folder, name, flags=None):
    path, flags = folder / f"{name}.json", list(flags or STATEMENTS[name])
    if flags[0] == "evaluate":
        model = folder / f"model-{flags[1]}.json"
        how = ["--schema", OLD / f"{flags[1]}.schema.json"]
        if flags[1] == "rows":
            flags[2], how = folder / flags[2], ["--target", "y", "--row-bound", "2"]
            # A label in six is the other one: an accuracy that noise takes to 1 would be the same of any number of records.
            flags[2].write_text("a,b,y\n" + "".join(f"{k % 7 / 7},{k % 5 / 5},{'yes' if (k % 7 > 3) != (k % 6 == 0) else 'no'}\n" for k in range(300)))
        if not model.exists():
            outcome = run_tool("fit", flags[2] if flags[1] == "rows" else PEOPLE, *how, "--epsilon", "20", "--model", model)
            assert outcome.returncode == 0, outcome.stderr
        flags[1] = model
    outcome = run_tool(*flags, "--json")
    assert outcome.returncode == 0, outcome.stderr
    path.write_text(outcome.stdout)
    return path


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_holds_and_some_changes_do_not(name, folder):
    path = made(folder, name)
    own, tool = verdicts(path)
    assert own[0] == tool[0] == 0, f"independent {own}, tool {tool}"
    draw = random.Random(name)
    found = disagreements(path, folder, (0.9,), lambda all_of: draw.sample(all_of, min(8, len(all_of))))
    assert [each for each in found if not any(name in each for name in FOR_ACCURACY)] == []


def random_range(draw):
    """min and max, most of them where points are few, meet or are as far apart as doubles go."""
    kind = draw.randrange(7)
    if kind == 0:
        return tuple(sorted(draw.sample((-1e300, -1e16, -7.0, -1e-300, 0.0, 1e-300, 3.5, 1e16, 1e300), 2)))
    low = draw.choice((0, -3, 1000, -100000, 2**53 - 40, -(2**55), 10**17))
    if kind == 1:
        return float(low), float(low) + draw.choice((100, 1000, 4096, 5000))
    if kind == 2:
        return draw.uniform(-2, 2), draw.uniform(3, 1e6)
    if kind == 3:
        return 1.0, 1.0 + 2.0**-48
    if kind == 4:
        return -8.9e307, 8.9e307
    width = draw.choice((1, 2, 5, 19, 62, 63, 64, 65, 66, 4000, 4095, 4096, 4097, 4098, 5000, 20800, 10**6, 10**12))
    return (float(low), low + float(width)) if low + float(width) > low else (0.0, float(width))


def random_number(draw):
    low, high = random_range(draw)
    column = {"type": "numeric", "min": low, "max": high}
    if low.is_integer() and high.is_integer() and draw.random() < 0.7:
        column["integer"] = True
    if draw.random() < 0.5:
        column["transform"] = "log1p"
    return column


def random_column(draw):
    kind = draw.choice(("numeric", "numeric", "numeric", "date", "categorical", "ignore"))
    if kind == "date":
        low, high = draw.choice((("1900-01-01", "2024-05-31"), ("2024-05-31T08:15Z", "2024-05-31T08:15:00.5Z"), ("2024-05-31T08:15:07Z", "2024-05-31T08:16:09Z")))
        return {"type": kind, "min": low, "max": high}
    if kind == "categorical":
        return {"type": kind, "categories": ["a", "b", "c"][: draw.randrange(1, 4)]}
    return {"type": kind} if kind == "ignore" else random_number(draw)


def random_target(draw):
    low, high = random_range(draw)
    return draw.choice((
        {}, {"column": "t"}, {"column": "t", "classes": ["a", "other"]}, {"column": "t", "classes": ["a", "b", "c"]}, {"column": "t", "min": low, "max": high},
        {"column": "t", "min": low, "max": high, "transform": "log1p"}, {"column": "t", "min": low}, {"min": low, "max": high}))


def cell(draw, column):
    if draw.random() < 0.1:
        return ""
    if column.get("type") == "date":
        return draw.choice((column["min"], column["max"], "1999-12-31"))
    if "min" in column:
        return repr(draw.choice((column["min"], column.get("max", 1.0), draw.uniform(0, 5000))))
    return draw.choice("abcd")


def random_description(draw, folder):
    """A table and a schema, and the flags that describe them."""
    columns = {**{name: random_column(draw) for name in "pqr"[: draw.randrange(4)]}, "s": random_number(draw)}
    target = random_target(draw)
    if target.get("column") and draw.random() < 0.3:
        columns = {"t": {"type": "ignore"}, **columns}
    every = {**{name: column for name, column in columns.items() if name != "t"}, "t": target}
    rows = [[f"u{draw.randrange(9)}", *(cell(draw, column) for column in every.values())] for _ in range(draw.randrange(1, 40))]
    table, schema = folder / "random.csv", folder / "random.schema.json"
    table.write_text("".join(",".join(row) + "\n" for row in [["who", *every], *rows]))
    known = {"columns": columns, "others": "ignore", **({"target": target} if target else {})}
    schema.write_text(json.dumps(known))
    flags = ["describe", table, "--schema", schema, "--epsilon", draw.choice(("0.1", "1", "20")), "--neighbours", draw.choice(verifier.ALL)]
    flags += ["--user", "who"] if draw.random() < 0.4 else []
    flags += ["--bins", str(draw.choice((2, 20, 1000)))] if draw.random() < 0.5 else []
    flags += ["--delta", "1e-6"] if draw.random() < 0.3 else []
    flags += ["--statistics", draw.choice(("mean", "quantiles", "histogram,quantiles", "categories,mean"))] if draw.random() < 0.3 else []
    return known, flags


# The seed 237 asks for quantiles alone, with a delta.
@pytest.mark.parametrize("seed", [*range(int(os.environ.get("TACIT_RANDOM_SCHEMAS", "60"))), 237])
def test_a_description_of_a_random_schema_holds(seed, folder):
    known, flags = random_description(random.Random(seed), folder)
    outcome = run_tool(*flags, "--json")
    assert outcome.returncode == 0, (outcome.stderr, known)
    path = folder / "random.json"
    path.write_text(outcome.stdout)
    own, tool = verdicts(path)
    assert own[0] == tool[0] == 0, f"independent {own}, tool {tool}: {known}"


@pytest.mark.parametrize("transform", [{}, {"transform": "log1p"}])
@pytest.mark.parametrize("width", [63, 64, 4095, 4096, 4097, 5000, 20800])
def test_points_of_whole_numbers(width, transform, folder):
    table, schema = folder / "whole.csv", folder / "whole.schema.json"
    table.write_text("gain\n" + "".join(f"{k * width // 50}\n" for k in range(50)))
    schema.write_text(json.dumps({"columns": {"gain": {"type": "numeric", "min": 0, "max": width, "integer": True, **transform}}}))
    path = made(folder, "whole", ["describe", table, "--schema", schema, *PURE])
    assert [each[0] for each in verdicts(path)] == [0, 0]
    told = verifier.read(path)
    choices = [step for step in told["certificate"]["steps"] if step["mechanism"] == "exponential"]
    # By hand: every whole number, or those that 4097 even points round to; logarithmic points leave out many above.
    assert all((step["dimension"] == min(width, 4096) + 1) != (width > 4096 and bool(transform)) for step in choices)
    edges = told["columns"]["gain"]["histogram"]["edges"]
    assert len(edges) == (width + 2 if width < 64 else 21)
    told["columns"]["gain"]["histogram"]["edges"][1] *= 1.01
    refused(told, folder, "edge")


def test_no_rmse_is_below_the_mae(folder):
    # At this epsilon noise often leads to one, which both raise in the same way.
    raised = 0
    for _ in range(30):
        path = made(folder, "evaluate-noisy", ["evaluate", "z", PEOPLE, "--epsilon", "0.02"])
        told = json.loads(path.read_text())
        assert told["rmse"] >= min(told["mae"], told["intervals"]["rmse"][1])
        if told["rmse"] == told["mae"]:
            raised += 1
            own, tool = verdicts(path)
            assert own[0] == tool[0] == 0, f"independent {own}, tool {tool}"
        if raised == 2:
            return
    raise AssertionError("no rmse was raised")


def edits(statement):
    """What a forger may write, by name: each must be refused by both."""

    def edit(what):
        def make(change):
            other = copy.deepcopy(statement)
            if change(other, other["certificate"]) is not False:
                all_edits[what] = other

        return make

    all_edits = {}

    @edit("a smaller epsilon, everywhere")
    def _(file, certificate):
        smaller = certificate["guarantee"]["epsilon"] * 0.9
        file["guarantee"]["epsilon"] = certificate["guarantee"]["epsilon"] = certificate["options"]["epsilon"] = smaller

    @edit("less noise")
    def _(file, certificate):
        steps = certificate["steps"][0].get("inner") or certificate["steps"]
        step = next(each for each in steps if each["scale"])
        step["scale"] *= 0.5

    @edit("less noise, as if records moved less")
    def _(file, certificate):
        steps = certificate["steps"][-1].get("inner") or certificate["steps"]
        steps[-1]["scale"], steps[-1]["sensitivity"]["value"] = steps[-1]["scale"] * 0.5, steps[-1]["sensitivity"]["value"] * 0.5

    @edit("a step and its answer less")
    def _(file, certificate):
        steps = certificate["steps"][-1].get("inner") or certificate["steps"]
        steps.pop()
        file["released"].pop()

    @edit("an answer that is on no grid")
    def _(file, certificate):
        file["released"][0][0] += 2.0**-40

    @edit("an assumption less, with its fact")
    def _(file, certificate):
        if not certificate["assumptions"]:
            return False
        file["assumptions"] = certificate["assumptions"] = []
        return None

    @edit("seeded bits")
    def _(file, certificate):
        certificate["seeded"] = True

    @edit("another number of records")
    def _(file, certificate):
        if certificate["method"] == "schema":  # it steers what is made of the answers, not what they cost
            return False
        units = "users" if certificate["unit"] == "user" else "records"
        certificate["assumed_public"][units] = certificate["assumed_public"].get(units, 0) - 1
        return None

    for what, digest in {"no model": None, "a model without a name": "", "a model that is none": "sha256:12"}.items():

        @edit(f"an evaluation of {what}")
        def _(file, certificate, digest=digest):
            if certificate["method"] != "evaluate":
                return False
            certificate["assumed_public"].pop("model_digest")
            if digest is not None:
                certificate["assumed_public"]["model_digest"] = digest
            return None

    @edit("another sentence")
    def _(file, certificate):
        file["guarantee"]["sentence"] = "Pure differential privacy, epsilon = 0.01: no outcome is more than 1.01 times as likely."

    return all_edits


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_forged_statement_is_refused_by_both(name, folder):
    for what, other in edits(verifier.read(made(folder, name))).items():
        own, tool = verdicts(sealed(other, folder / "forged.json"))
        assert own[0] != 0, f"independent: {what}"
        assert tool[0] != 0, f"tool: {what}"


def refused(statement, folder, match):
    path = sealed(statement, folder / "forged.json")
    with pytest.raises(verifier.Refused, match=match):
        verifier.verify(path)
    assert run_tool("verify", path).returncode != 0


def test_told_numbers_are_those_of_the_answers(folder):
    path = made(folder, "describe")

    def edited(change):
        other = verifier.read(path)
        change(other["columns"])
        return other

    def shift(estimate, by):
        estimate["value"] += by
        estimate["interval"] = [end + by for end in estimate["interval"]]

    refused(edited(lambda columns: shift(columns["age"]["histogram"]["counts"][5], 1.0)), folder, "histogram")
    refused(edited(lambda columns: shift(columns["city"]["categories"]["south"], 1.0)), folder, "south")
    refused(edited(lambda columns: shift(columns["age"]["mean"], 0.5)), folder, "mean")
    refused(edited(lambda columns: columns.pop("income")), folder, "not described")
    refused(edited(lambda columns: columns.__setitem__("pay", columns["income"])), folder, "nothing was asked")
    for score in ("accuracy", "log_loss"):
        other = verifier.read(made(folder, "evaluate-y"))
        other[score] += 0.001
        refused(other, folder, score)


def test_a_schema_has_only_texts_that_left(folder):
    statement = verifier.read(made(folder, "schema-delta-replaced"))
    column = statement["columns"]["city"]
    assert column["type"] == "categorical"
    other = copy.deepcopy(statement)
    other["columns"]["city"]["categories"][0] = "nowhere"
    refused(other, folder, "did not leave")
    other = copy.deepcopy(statement)
    other["target"]["classes"] = ["no", "perhaps"]
    refused(other, folder, "did not leave")
    other = copy.deepcopy(statement)
    answer = next(numbers for numbers in other["released"] if len(numbers) == len(column["categories"]))
    answer[0] = 2.0
    refused(other, folder, "cannot have left")
    other = copy.deepcopy(statement)
    other["released_texts"][0].reverse()
    refused(other, folder, "order")


def test_what_a_schema_of_a_group_assumes_is_told_by_what_uses_it(folder):
    """The fit and the first description are of everybody: what they cost with the schema rests on its group."""
    schema, model = folder / "north.json", folder / "everybody.json"
    found = run_tool("schema", PEOPLE, "--target", "y", "--classes", "no,yes", *GROUP, *PURE, "--output", schema)
    assert found.returncode == 0, found.stderr
    fit = run_tool("fit", PEOPLE, "--schema", schema, "--epsilon", "3", "--model", model)
    assert fit.returncode == 0, fit.stderr
    sentence = "the schema was found in the records of one group of a public column: their number is public"
    assert "found for the group city=north, epsilon = 5 together with this model" in fit.stdout
    assert "Assumed: " + sentence in fit.stdout
    known = ["--schema", schema, *PURE]
    for path in (model, made(folder, "known", ["describe", PEOPLE, *known]), made(folder, "known-north", ["describe", PEOPLE, *known, *GROUP])):
        own, tool = verdicts(path)
        assert own[0] == tool[0] == 0, f"independent {own}, tool {tool}"
        told = verifier.verify(path)
        assert "found for the group city=north" in told["schema_cost"]
        named = {"column": "city", "value": "north"} if path.stem == "known-north" else None
        assert told.get("group") == json.loads(run_tool("verify", path, "--json").stdout).get("group") == named
        assert any(each.startswith(sentence) for each in told["assumptions"])

        def forged(change, path=path):
            other = verifier.read(path)
            certificate = other["certificate"]
            change(certificate["assumed_public"], certificate["assumptions"])
            if "assumptions" in other:
                other["assumptions"] = certificate["assumptions"]
            return sealed(other, folder / "forged.json")

        def forget(assumptions):
            assumptions[:] = [each for each in assumptions if not each.startswith(sentence)]

        for what, change in {
            "the sentence": lambda facts, sentences: forget(sentences),
            "the fact": lambda facts, sentences: facts.pop("schema_group"),
            "both": lambda facts, sentences: (facts.pop("schema_group"), forget(sentences)),
            "both, and the name": lambda facts, sentences: (facts.pop("schema_group"), facts.pop("schema_group_of"), forget(sentences)),
            "another name": lambda facts, sentences: facts.__setitem__("schema_group_of", "city=south"),
            "no name": lambda facts, sentences: facts.__setitem__("schema_group_of", "north"),
            "another value": lambda facts, sentences: facts.__setitem__("schema_group", "by a secret column"),
        }.items():
            own, tool = verdicts(forged(change))
            assert own[0] != 0 and tool[0] != 0, f"{path.name} without {what}: independent {own}, tool {tool}"


@pytest.mark.parametrize("name", ["describe-group", "schema-group", "fit"])
def test_a_name_that_can_be_no_group_is_refused(name, folder):
    if name == "fit":
        path = folder / "fit-group.json"
        outcome = run_tool("fit", PEOPLE, *KNOWN, *GROUP, "--epsilon", "20", "--model", path)
        assert outcome.returncode == 0, outcome.stderr
    else:
        path = made(folder, name)
    assert [each[0] for each in verdicts(path)] == [0, 0]
    for group in ("site=7.0", "site=07", "site=+7", "site=1e3", "site=7,0", "site=inf", "site=True", "site=2024-05-01", "site= 7", "city=west"):
        file = verifier.read(path)
        file["certificate"]["assumed_public"]["group_of"] = group
        own, tool = verdicts(sealed(file, folder / "forged.json"))
        assert own[0] == tool[0] == 1, f"{group}: independent {own}, tool {tool}"


@pytest.mark.parametrize("name", ["describe", "fit"])
def test_a_smaller_epsilon_is_what_a_refusal_names(name, folder):
    if name == "fit":
        path = folder / "fit.json"
        assert run_tool("fit", PEOPLE, *KNOWN, *PURE, "--model", path).returncode == 0
    else:
        path = made(folder, name)
    told = verifier.verify(path)
    assert told["replaced"]["epsilon"] == verifier.read(path)["certificate"]["replaced"]["epsilon"] > told["guarantee"]["epsilon"]
    file = verifier.read(path)
    file["certificate"]["guarantee"]["epsilon"] = 0.5
    refused(file, folder, "the certificate states epsilon = 0.5, but the steps give")


# Made once for these tests; they protect nothing.
PRIVATE_KEY = """-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEII/VQZPorXTHMhYWPbMJd8gZJFiFjAs8ocvubiXpjbwT
-----END PRIVATE KEY-----
"""
PUBLIC_KEY = """-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAybDg8eaC7Z9MSJxgmOGcIb6QFDPNJnDjiZ3pi5b5iv0=
-----END PUBLIC KEY-----
"""
ANOTHERS = """-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
"""


@pytest.fixture(scope="module")
def keys(folder):
    for name, text in (("private.pem", PRIVATE_KEY), ("public.pem", PUBLIC_KEY), ("another.pem", ANOTHERS)):
        (folder / name).write_text(text)
    return folder / "private.pem", folder / "public.pem", folder / "another.pem"


def signature_holds(path, key):
    """What both say of a file and a key."""
    tool = run_tool("verify", path, "--key", key).returncode
    try:
        verifier.verify(path, verifier.public_key(key)[0])
        own = 0
    except verifier.Refused:
        own = 1
    assert own == tool
    return own == 0


@pytest.mark.parametrize("name", ["describe", "describe-unseen", "schema", "evaluate-y"])
def test_a_signature_is_of_one_file_and_one_key(name, folder, keys):
    private, public, another = keys
    path = made(folder, name, [*STATEMENTS[name], "--sign", private])
    assert signature_holds(path, public)
    assert not signature_holds(path, another)
    assert "not checked" in run_tool("verify", path).stdout
    signed = verifier.read(path)
    assert not signature_holds(made(folder, name), public)  # which is not signed
    other = verifier.read(made(folder, name))
    other["signature"] = signed["signature"]
    assert not signature_holds(sealed(other, folder / "forged.json"), public)
    assert verdicts(folder / "forged.json")[0][0] == 0  # without the key it holds
    edited = copy.deepcopy(signed)
    edited["certificate"]["bit_source"] = "a die"
    assert not signature_holds(sealed(edited, folder / "forged.json"), public)
    assert verdicts(folder / "forged.json")[0][0] == 0


def test_a_key_that_cannot_sign_costs_nothing(folder, keys):
    ledger = folder / "signing.ledger"
    assert run_tool("ledger", "create", ledger, "--limit", "people=5").returncode == 0
    for command in (["describe", PEOPLE, *KNOWN], ["schema", PEOPLE]):
        outcome = run_tool(*command, *PURE, "--ledger", ledger, "--sign", keys[1])
        assert outcome.returncode == 64 and "private key" in outcome.stderr, outcome.stderr
    assert not json.loads(run_tool("ledger", "show", ledger, "--json").stdout)["budgets"][0]["charges"]
    for command in (["schema", PEOPLE], ["evaluate", "model.json", PEOPLE]):
        outcome = run_tool(*command, "--sign", keys[0])
        assert outcome.returncode == 64 and "--sign needs --epsilon" in outcome.stderr, outcome.stderr


def test_a_fit_takes_a_signed_schema(folder, keys):
    found, model = folder / "signed.schema.json", folder / "with-signed.json"
    outcome = run_tool("schema", PEOPLE, "--target", "y", "--classes", "no,yes", *PURE, "--sign", keys[0], "--output", found)
    assert outcome.returncode == 0, outcome.stderr
    outcome = run_tool("fit", PEOPLE, "--schema", found, "--epsilon", "3", "--model", model)
    assert outcome.returncode == 0, outcome.stderr
    assert "epsilon = 5 together with this model" in verifier.verify(model)["schema_cost"]


def test_python_signs_statements(folder, keys):
    import tacit

    output = folder / "python.json"
    told = tacit.describe(PEOPLE, schema=OLD / "y.schema.json", epsilon=2.0, key=keys[0], output=output)
    assert told["signature"].startswith("ed25519:") and signature_holds(output, keys[1])
    with pytest.raises(tacit.UsageError, match="private key"):
        tacit.schema(PEOPLE, epsilon=2.0, key=keys[1])
