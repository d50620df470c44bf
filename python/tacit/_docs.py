"""What the parameters of all estimators mean, once."""

PRIVACY = """
    Privacy
    epsilon: the privacy to keep, > 0; inf for none.
    delta: with epsilon, approximate privacy, between 0 and 1.
    mu: Gaussian privacy instead of epsilon, > 0.
    unit: "item", a record is protected; "user", a person with all their records: fit(X, y, user_ids=…).
    neighbours: which datasets must look alike: "zero_out" (a record is there or null: the default wherever the method
        offers it), "replace_one" or "add_remove". With a ledger the default is the ledger's.
    ledger, ledger_name: a ledger (tacit.create_ledger) that is charged before anything is released, and the name in it.
    group: "COLUMN=VALUE", the records with this category of the schema alone. Groups of one public column cost a ledger
        their maximum (docs/ledger.md); their sizes are public then, and a neighbour keeps the column's value.

    What is public
    schema: what is known of the columns before anyone looks (docs/schema.md): a file's name or a dict.
    bounds: instead, a number that no row's 2-norm exceeds, or (lower, upper) for the columns, which are then clipped
        and encoded. A sparse matrix takes the number alone.
    range_share: without either, the share of epsilon that finds the columns' ranges and kinds (docs/private_schema.md):
        by default 0.3 where records x epsilon / columns is at least 50, with a warning; else 0. With 0, and for sparse
        data, numbers are taken as they are, and their size is chosen privately with a share of epsilon.

    The fit
    encoder: what becomes of numbers with a range, where the schema has no knots for them: "hats", a curve for each;
        "linear", a line; "auto", curves where the records can bear them (docs/features.md). Numbers without a range
        stay as they are.
    weight_bound: with fit(…, sample_weight=…), a public number: weights are cut to [0, weight_bound], and noise is for
        the largest (docs/weights.md). None, with sample_weight: 1, with a warning.
    intervals: a level, such as 0.95: confidence intervals of the coefficients, for a fifth of the guarantee
        (docs/intervals.md); for logistic, squared and Huber losses with two classes or numbers.
    fit_intercept: whether there is a constant feature.
    method: one of tacit.methods(); by default it is chosen from public values (docs/choosing.md).
    options: of the method, {"radius": 3}.
    threads: 0 takes one per core.

    After `fit`
    coef_, intercept_: the parameters, for the features as encoded (`encoded_names_` with a schema).
    coef_samples_, intercept_samples_: one row per sample, with a method that was asked for several ("samples").
    confidence_intervals_: with `intervals`, those of the population's coefficients and of the minimiser's.
    curves_: what each column adds, by name, each with x, y, interval and noise (a schema or (lower, upper) is needed).
        plot() draws them.
    certificate_: what is guaranteed and why, as a dict. save(path) writes it with the model.
"""

CLASSES = """
    classes: a list of the classes that can occur, when the schema does not list them. By default they are read off the
        data and assumed public. `classes_` is sorted, and has the type in which the classes were stated, as predictions
        have; a schema's are numbers where all of them are written as numbers and the labels are no texts.
    class_weight: {class: weight}, public; a class that is not named has the weight 1. Times sample_weight, where
        there are both. "balanced" would count records, and is refused.
"""

TARGET = """
    target_bounds: (lower, upper), public; labels are clipped to them. Without, and without a schema that has them,
        their size is chosen privately.
"""
