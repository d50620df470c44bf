"""Private classifiers of other packages, for experiments/rivals.py. Imported inside the environment it makes.

Each takes what its documentation asks for as public: ranges and categories of the schema. A fit returns the
chances of the second class on the test file.
"""

import functools
import json
import warnings

import numpy as np
import pandas

warnings.filterwarnings("ignore")


class Encoded:
    """A table as numbers by its schema: columns on [0, 1], categories as one of several."""

    def __init__(self, train, test, schema):
        stated = json.loads(open(schema).read())
        self.columns = {n: c for n, c in stated["columns"].items() if c["type"] != "ignore"}
        target = stated["target"]
        self.frames = [pandas.read_csv(path, dtype=str, skipinitialspace=True) for path in (train, test)]
        self.labels = [(f[target["column"]].str.strip() == target["classes"][1]).to_numpy(int) for f in self.frames]
        self.rows = [self.numbers(f) for f in self.frames]
        # Each column adds at most 1 to the square of a row's norm.
        self.norm = len(self.columns) ** 0.5

    def unit(self, frame, name):
        column = self.columns[name]
        low, high = column["min"], column["max"]
        x = frame[name].astype(float).fillna(low).clip(low, high).to_numpy()
        if column.get("transform") == "log1p":
            return np.log1p(x - low) / np.log1p(high - low)
        return (x - low) / (high - low)

    def numbers(self, frame):
        parts = []
        for name, column in self.columns.items():
            if column["type"] == "numeric":
                parts.append(self.unit(frame, name)[:, None])
            else:
                cells = frame[name].str.strip().to_numpy()
                parts.append(np.stack([cells == c for c in column["categories"]], axis=1).astype(float))
        return np.concatenate(parts, axis=1)

    def cells(self, part):
        """Numbers on [0, 1] and categories as text, for models that bin by themselves."""
        frame = self.frames[part]
        return pandas.DataFrame({n: self.unit(frame, n) if c["type"] == "numeric" else frame[n].str.strip()
                                 for n, c in self.columns.items()})


def diffprivlib_logistic(data, epsilon, delta, step, seed):
    from diffprivlib.models import LogisticRegression

    model = LogisticRegression(epsilon=epsilon, data_norm=data.norm, random_state=seed)
    model.fit(data.rows[0], data.labels[0])
    return model.predict_proba(data.rows[1])[:, 1]


def dp_ebm(data, epsilon, delta, step, seed):
    from interpret.privacy import DPExplainableBoostingClassifier

    kinds = ["continuous" if c["type"] == "numeric" else "nominal" for c in data.columns.values()]
    bounds = {n: (0.0, 1.0) for n, c in data.columns.items() if c["type"] == "numeric"}
    more = {} if step is None else {"learning_rate": step}
    model = DPExplainableBoostingClassifier(epsilon=epsilon, delta=delta, feature_types=kinds, privacy_bounds=bounds,
                                            n_jobs=1, random_state=seed, **more)
    model.fit(data.cells(0), data.labels[0])
    return model.predict_proba(data.cells(1))[:, 1]


@functools.cache
def opacus_noise(epsilon, delta, rate, epochs):
    from opacus.accountants.utils import get_noise_multiplier

    return get_noise_multiplier(target_epsilon=epsilon, target_delta=delta, sample_rate=rate, epochs=epochs,
                                accountant="prv")


class Batches:
    """Rows and labels for a loader that asks for a batch at a time; row by row it takes most of the time."""

    def __init__(self, rows, labels):
        self.rows, self.labels = rows, labels

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i], self.labels[i]

    def __getitems__(self, indices):
        return self.rows[indices], self.labels[indices]


def opacus_logistic(data, epsilon, delta, step, seed, batch=2048, epochs=20):
    import torch
    from opacus import PrivacyEngine

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rows = [torch.tensor(r, dtype=torch.float32) for r in data.rows]
    labels = torch.tensor(data.labels[0], dtype=torch.float32)
    model = torch.nn.Linear(rows[0].shape[1], 1)
    torch.nn.init.zeros_(model.weight)
    torch.nn.init.zeros_(model.bias)
    loader = torch.utils.data.DataLoader(Batches(rows[0], labels), batch_size=batch, collate_fn=lambda both: both)
    model, optimizer, loader = PrivacyEngine(accountant="prv").make_private(
        module=model, optimizer=torch.optim.SGD(model.parameters(), lr=step), data_loader=loader,
        noise_multiplier=opacus_noise(epsilon, delta, 1 / len(loader), epochs), max_grad_norm=1.0)
    loss = torch.nn.BCEWithLogitsLoss()
    for _ in range(epochs):
        for x, y in loader:
            if len(x):
                optimizer.zero_grad()
                loss(model(x).squeeze(1), y).backward()
                optimizer.step()
    with torch.no_grad():
        return torch.sigmoid(model(rows[1]).squeeze(1)).numpy()


def plain_linear(data, epsilon, delta, step, seed):
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=100, max_iter=3000).fit(data.rows[0], data.labels[0])
    return model.predict_proba(data.rows[1])[:, 1]


def scores(chances, labels):
    from sklearn.metrics import log_loss, roc_auc_score

    chances = np.clip(np.nan_to_num(chances, nan=0.5), 1e-15, 1 - 1e-15)
    return {"accuracy": float(np.mean((chances > 0.5) == labels)), "auc": float(roc_auc_score(labels, chances)),
            "log_loss": float(log_loss(labels, chances))}
