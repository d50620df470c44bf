"""Tables with public schemas: what experiments/features.py measures on. Plain Python, nothing to install."""

import csv
import gzip
import json
import math
import pathlib
import random


def numbers(**ranges):
    """name=(min, max[, "log1p" | "integer"])"""
    columns = {}
    for name, (low, high, *more) in ranges.items():
        column = {"type": "numeric", "min": low, "max": high}
        if "log1p" in more:
            column["transform"] = "log1p"
        if "integer" in more:
            column["integer"] = True
        columns[name] = column
    return columns


# Ranges as documentation or the meaning of a column gives them, not as the records have them.
WINE = numbers(fixed_acidity=(3, 16), volatile_acidity=(0, 1.6), citric_acid=(0, 1.7), residual_sugar=(0, 70, "log1p"),
               chlorides=(0, 0.6), free_sulfur_dioxide=(0, 300), total_sulfur_dioxide=(0, 450), density=(0.985, 1.04),
               pH=(2.7, 4.1), sulphates=(0.2, 2), alcohol=(8, 15))
HOUSES = numbers(longitude=(-124.5, -114), latitude=(32.5, 42), age=(1, 52), rooms=(1, 40000, "log1p"),
                 bedrooms=(1, 7000, "log1p"), population=(1, 40000, "log1p"), households=(1, 7000, "log1p"),
                 income=(0, 15))
DIABETES = numbers(age=(18, 80), sex=(1, 2, "integer"), bmi=(15, 45), bp=(60, 140), s1=(90, 310), s2=(40, 250),
                   s3=(20, 100), s4=(1, 10), s5=(3, 6.5), s6=(55, 130))
CANCER = [(5, 30), (8, 40), (40, 200), (100, 2600), (.04, .18), (0, .4), (0, .5), (0, .25), (.1, .35), (.04, .1),
          (0, 3), (0, 5), (0, 25), (0, 600), (0, .04), (0, .15), (0, .4), (0, .06), (0, .08), (0, .03),
          (5, 40), (10, 50), (50, 260), (150, 4300), (.05, .25), (0, 1.1), (0, 1.3), (0, .3), (.1, .7), (.05, .25)]


def plain(path):
    return gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)


def news_column(name):
    if name.startswith(("data_channel", "weekday", "is_weekend")):
        return {"type": "numeric", "min": 0, "max": 1, "integer": True}
    if name.startswith(("kw_", "self_reference")):
        return {"type": "numeric", "min": -1, "max": 1e6, "transform": "log1p"}
    if name.startswith(("n_tokens_content", "num_")):
        return {"type": "numeric", "min": 0, "max": 10000 if "content" in name else 300, "transform": "log1p"}
    if name == "n_tokens_title":
        return {"type": "numeric", "min": 0, "max": 25}
    if name == "average_token_length":
        return {"type": "numeric", "min": 0, "max": 10}
    signed = "polarity" in name and not name.startswith("abs")
    return {"type": "numeric", "min": -1 if signed else 0, "max": 1}


def read(data, name):
    """(columns of the schema, target of the schema, rows with the target last)"""
    if name in UNSEEN:
        return unseen(data, name)
    if name in LATER:
        return later(data, name)
    if name.startswith("wine_"):
        _, color, kind = name.split("_")
        rows = list(csv.reader(plain(data / f"wine_quality/winequality-{color}.csv"), delimiter=";"))[1:]
        if kind == "three":
            rows = [r[:-1] + ["low" if int(r[-1]) < 6 else "mid" if int(r[-1]) == 6 else "high"] for r in rows]
            return WINE, {"classes": ["low", "mid", "high"]}, rows
        if kind == "class":
            rows = [r[:-1] + ["good" if int(r[-1]) >= 6 else "poor"] for r in rows]
            return WINE, {"classes": ["poor", "good"]}, rows
        return WINE, {"min": 0, "max": 10}, rows
    if name.startswith("houses"):
        rows = list(csv.reader(plain(data / "california_housing/cal_housing.data")))
        if name == "houses_class":
            rows = [r[:-1] + ["high" if float(r[-1]) >= 200000 else "low"] for r in rows]
            return HOUSES, {"classes": ["low", "high"]}, rows
        return HOUSES, {"min": 0, "max": 500001}, rows
    if name.startswith("news"):
        rows = list(csv.reader(plain(data / "online_news/online_news_sample7928.csv.gz")))
        columns = {n: news_column(n) for n in rows[0][:-1]}
        if name == "news_class":
            rows = rows[:1] + [r[:-1] + ["many" if float(r[-1]) > 1400 else "few"] for r in rows[1:]]
            return columns, {"classes": ["few", "many"]}, rows[1:]
        return columns, {"min": 0, "max": 1e6, "transform": "log1p"}, rows[1:]
    if name == "breast_cancer":
        rows = list(csv.reader(plain(data / "sklearn_small/breast_cancer.csv")))[1:]
        columns = {f"c{i}": {"type": "numeric", "min": a, "max": b} for i, (a, b) in enumerate(CANCER)}
        return columns, {"classes": ["0", "1"]}, rows
    if name == "digits":
        rows = list(csv.reader(plain(data / "sklearn_small/digits.csv.gz")))
        rows = [r[:-1] + [str(int(float(r[-1])))] for r in rows]
        columns = {f"p{i}": {"type": "numeric", "min": 0, "max": 16} for i in range(64)}
        return columns, {"classes": [str(k) for k in range(10)]}, rows
    if name == "diabetes":
        x = [line.split() for line in plain(data / "sklearn_small/diabetes_data_raw.csv.gz")]
        y = [line.strip() for line in plain(data / "sklearn_small/diabetes_target.csv.gz")]
        return DIABETES, {"min": 0, "max": 400}, [a + [b] for a, b in zip(x, y)]
    if name == "insteval":  # records, not students
        rows = list(csv.reader(plain(data / "insteval/insteval.csv.gz")))[1:]
        columns = {"studage": {"type": "numeric", "min": 2, "max": 8}, "lectage": {"type": "numeric", "min": 1, "max": 6,
                   "integer": True}, "service": {"type": "numeric", "min": 0, "max": 1, "integer": True},
                   "dept": {"type": "categorical", "categories": [str(k) for k in range(1, 16)]}}
        return columns, {"min": 1, "max": 5}, [r[2:] for r in rows]
    if name.startswith("made_"):
        return made(name)
    raise ValueError(name)


UNSEEN = ["adult_sex", "adult_hours", "wine_color", "insteval_class", "houses_age"]


def unseen(data, name):
    """Other columns of the same tables as the target: nobody had looked at these when the rules were chosen."""
    if name.startswith("adult"):
        folder = pathlib.Path(__file__).parent.parent / "examples/data"
        columns = json.loads((folder / "adult.schema.json").read_text())["columns"]
        rows = list(csv.reader(plain(folder / "adult.train.csv.gz")))
        target = "sex" if name == "adult_sex" else "hours-per-week"
        # Husbands and wives have a sex.
        columns = {n: c for n, c in columns.items() if n != target and not (target == "sex" and n == "relationship")}
        at = [rows[0].index(n) for n in [*columns, target]]
        rows = [[r[i] for i in at] for r in rows[1:]]
        return columns, {"classes": ["Female", "Male"]} if target == "sex" else {"min": 1, "max": 99}, rows
    if name == "wine_color":
        rows = [r[:-1] + [color] for color in ("red", "white") for r in read(data, f"wine_{color}_number")[2]]
        return WINE, {"classes": ["red", "white"]}, rows
    if name == "insteval_class":
        columns, _, rows = read(data, "insteval")
        return columns, {"classes": ["low", "high"]}, [r[:-1] + ["high" if int(r[-1]) >= 4 else "low"] for r in rows]
    rows = read(data, "houses_number")[2]
    at = list(HOUSES).index("age")
    columns = {n: c for n, c in HOUSES.items() if n != "age"} | numbers(value=(0, 500001))
    return columns, {"classes": ["new", "old"]}, [r[:at] + r[at + 1:] + ["old" if float(r[at]) > 30 else "new"] for r in rows]


# The same, named and measured once when the noise was already drawn in the plane.
LATER = ["adult_married", "adult_age", "wine_alcohol", "news_weekend", "houses_north"]


def later(data, name):
    if name.startswith("adult"):
        folder = pathlib.Path(__file__).parent.parent / "examples/data"
        columns = json.loads((folder / "adult.schema.json").read_text())["columns"]
        head, *rows = csv.reader(plain(folder / "adult.train.csv.gz"))
        target = "marital-status" if name == "adult_married" else "age"
        # Husbands and wives are married.
        columns = {n: c for n, c in columns.items() if n != target and not (name == "adult_married" and n == "relationship")}
        at = [head.index(n) for n in [*columns, target]]
        rows = [[r[i] for i in at] for r in rows]
        if name == "adult_age":
            return columns, {"min": 17, "max": 90}, rows
        rows = [r[:-1] + ["yes" if r[-1].strip() == "Married-civ-spouse" else "no"] for r in rows]
        return columns, {"classes": ["no", "yes"]}, rows
    if name == "wine_alcohol":
        rows = [r for color in ("red", "white") for r in read(data, f"wine_{color}_number")[2]]
        at = list(WINE).index("alcohol")
        columns = {n: c for n, c in WINE.items() if n != "alcohol"}
        return columns, {"min": 8, "max": 15}, [r[:at] + [r[at]] for r in rows]
    if name == "news_weekend":
        columns, _, rows = read(data, "news_number")
        head = list(columns)
        kept = [n for n in head if not n.startswith(("weekday", "is_weekend"))]
        at, weekend = [head.index(n) for n in kept], head.index("is_weekend")
        return ({n: columns[n] for n in kept}, {"classes": ["week", "weekend"]},
                [[r[i] for i in at] + ["weekend" if float(r[weekend]) > 0 else "week"] for r in rows])
    rows = read(data, "houses_number")[2]
    north = list(HOUSES).index("latitude")
    kept = [n for n in HOUSES if n not in ("longitude", "latitude")]
    at = [list(HOUSES).index(n) for n in kept] + [len(HOUSES)]
    columns = {n: HOUSES[n] for n in kept} | numbers(value=(0, 500001))
    return columns, {"classes": ["south", "north"]}, [[r[i] for i in at] + ["north" if float(r[north]) > 36 else "south"] for r in rows]


def made(name):
    """made_<n>_<d>_<strength>: classes by an additive curve of d numbers, a third of them without effect."""
    _, n, d, strength = name.split("_")
    n, d, strength = int(n), int(d), float(strength)
    rng = random.Random(name)
    bends = [(rng.uniform(-1, 1), rng.uniform(1, 3), rng.uniform(0, 6)) if j % 3 else (0, 1, 0) for j in range(d)]
    scale = strength / max(1e-9, math.sqrt(sum(b * b / 2 for b, _, _ in bends)))
    rows = []
    for _ in range(n):
        u = [rng.random() for _ in range(d)]
        score = scale * sum(b * math.sin(f * 3 * x + s) for x, (b, f, s) in zip(u, bends))
        label = "yes" if rng.random() < 1 / (1 + math.exp(-score)) else "no"
        rows.append([f"{x:.5f}" for x in u] + [label])
    return {f"x{j}": {"type": "numeric", "min": 0, "max": 1} for j in range(d)}, {"classes": ["no", "yes"]}, rows


def prepare(data, name, folder):
    """Writes train and test (a fifth, drawn with a fixed seed) and the schema; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    train, test, schema = (folder / f"{name}.{end}" for end in ("train.csv", "test.csv", "schema.json"))
    columns, target, rows = read(data, name)
    if not schema.exists():
        random.Random(17).shuffle(rows)
        cut = len(rows) // 5
        head = list(columns) + ["target"]
        for path, part in ((train, rows[cut:]), (test, rows[:cut])):
            with open(path, "w", newline="") as out:
                csv.writer(out).writerows([head] + part)
        schema.write_text(json.dumps({"columns": columns, "target": {"column": "target", **target}}, indent=1))
    return train, test, schema
