"""Which of scikit-learn's checks an estimator with privacy cannot pass, and why (docs/python.md)."""

from __future__ import annotations

# Those that compare two fits, or want something learnt from 30 records: at epsilon = 1 that would be a leak. They pass
# where noise is fixed and small (tests/python).
NOISY_CHECKS: dict[str, str] = {
    **dict.fromkeys(
        (
            "check_regressors_int",
            "check_regressor_data_not_an_array",
            "check_classifier_data_not_an_array",
            "check_supervised_y_2d",
            "check_fit_idempotent",
        ),
        "two fits draw noise of their own",
    ),
    "check_classifiers_classes": "30 records must not show so much that every class is predicted",
}

# Those about weights, under the names that they have in one version or another. What is left of them with fixed bits
# is tested beside them.
WEIGHT_CHECKS: dict[str, str] = {
    **dict.fromkeys(
        (
            "check_sample_weights_invariance",
            "check_sample_weight_equivalence",
            "check_sample_weight_equivalence_on_dense_data",
            "check_sample_weight_equivalence_on_sparse_data",
        ),
        "a weight is covered by its bound, a copy by a guarantee of its own: the noise differs",
    ),
    "check_all_zero_sample_weights_error": "an error would tell whether any record has a weight",
}

EXPECTED_FAILED_CHECKS: dict[str, str] = {**NOISY_CHECKS, **WEIGHT_CHECKS}
