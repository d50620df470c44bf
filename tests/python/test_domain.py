"""Parameters that must lie in a set: from Python as from the tool."""

import numpy as np
import pytest

import tacit

RANDOM = np.random.default_rng(1)
X = RANDOM.normal(size=(400, 2))
Y = X @ [1.5, -1.5] + RANDOM.normal(size=400)


def fitted(domain, method="limited-output", **more):
    options = {"slope_limit": 2.0, "curvature_limit": 1.0, "domain": domain, **more}
    return tacit.Ridge(epsilon=1.0, method=method, options=options).fit(X, Y)


def test_a_box_from_a_file_holds_the_parameters(tmp_path):
    file = tmp_path / "box.txt"
    file.write_text("-0.1, 0.2\n-0.3, 0.1\n-1, 1\n")
    model = fitted(f"box:@{file}")
    assert model.certificate_["options"]["domain"] == "box:-0.1,0.2;-0.3,0.1;-1,1"
    assert -0.1 <= model.coef_[0] <= 0.2
    assert -0.3 <= model.coef_[1] <= 0.1


def test_the_extension_over_a_ball_holds_them_too():
    model = fitted("ball:0.5", "double-output", oracle="extension")
    assert np.linalg.norm(np.append(model.coef_, model.intercept_)) <= 0.5
    assert model.certificate_["options"]["oracle"] == "extension"


def test_blanks_are_separators_as_commas_are(tmp_path):
    file = tmp_path / "polytope.txt"
    file.write_text("1 0 0 1\n-1\t0 , 0 1\n0,1,0,1\r\n0 -1 0 1\n0 0 1 1\n0 0 -1 1\n\n")
    stated = fitted(f"polytope:@{file}").certificate_["options"]["domain"]
    assert stated == "polytope:1,0,0,1;-1,0,0,1;0,1,0,1;0,-1,0,1;0,0,1,1;0,0,-1,1"


@pytest.mark.parametrize("domain", ["cube:1", "ball:-1", "ball:1@1,2"])
def test_what_is_no_domain_is_refused_in_one_line(domain):
    with pytest.raises(ValueError, match="expected ball:R") as refused:
        fitted(domain)
    assert "\n" not in str(refused.value)


def test_a_method_without_one_refuses_it():
    with pytest.raises(ValueError, match="not an option of the method limited-objective"):
        fitted("ball:1", "limited-objective")
