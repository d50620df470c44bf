#!/usr/bin/env python3
"""Checks the guarantee of tacit's models, descriptions, evaluations and private schemas without any of tacit's code.

usage: verify_independent.py FILE... [--json] [--key PUBLIC.pem]

For an auditor who does not trust the program that made a file. Written from docs/certificate.md and the pages of the methods alone; needs
Python 3.11 and mpmath. The steps that a method must take are worked out again from the options and public facts in the file, and so is the
guarantee, by an accountant of its own. Exit code 0: all of them hold; 1: one does not; 65: one is no file with a certificate;
64 and 66: no public key is there.
"""
import argparse
import base64
import cmath
import datetime
import hashlib
import json
import math
import os
import re
import statistics
import sys
from fractions import Fraction

import mpmath

U = 2.0**-53  # unit roundoff of doubles
SAFE = 1e-12  # what the last digits of a library may differ by, where more would be unsafe
LOOSE = 1e-6  # by how much a cost may be overstated


class Malformed(Exception):
    """Not a model file."""


class Refused(Exception):
    """A model file whose guarantee does not hold, or cannot be told to hold."""


# ---------------------------------------------------------------------------------------------------------------------
# The file: docs/certificate.md


class AsWritten(float):
    """A number that is written as it was read."""

    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __repr__(self):
        return self.text


def written(value):
    """The bytes that are hashed, as text."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{written(key)}:{written(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return repr(value) if isinstance(value, AsWritten) else json.dumps(value, ensure_ascii=False)


def finite(text):
    value = AsWritten(text)
    if math.isinf(value):
        raise Malformed(f"{text} is too large for a number")
    return value


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        raise Malformed(f'the key "{next(k for k in keys if keys.count(k) > 1)}" appears twice')
    return dict(pairs)


def no_constant(name):
    raise Malformed(f"{name} is not JSON")


def read(path):
    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8")
        value = json.loads(text.removeprefix("\ufeff"), parse_float=finite, parse_constant=no_constant, object_pairs_hook=unique)
        written(value).encode()
        return value
    except UnicodeEncodeError as error:
        raise Malformed("not JSON: half of a surrogate pair") from error
    except OSError as error:
        raise Malformed(f"cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise Malformed(f"not JSON: {error}") from error


def number(value, name):
    """A number of the file; infinite ones are texts."""
    if value in ("inf", "-inf", "nan") and isinstance(value, str):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Malformed(f'"{name}" is not a number')
    return float(value)


def member(holder, name, kind):
    if not isinstance(holder, dict) or name not in holder:
        raise Malformed(f'"{name}" is missing')
    value = holder[name]
    if kind is float:
        return number(value, name)
    if kind is int:
        if isinstance(value, bool) or not isinstance(value, int):  # 822.0 is none, as tacit writes numbers
            raise Malformed(f'"{name}" is not a whole number')
        return value
    if not isinstance(value, kind):
        raise Malformed(f'"{name}" is not what it must be')
    return value


def known(holder, names, where):
    for name in holder:
        if name not in names:
            raise Refused(f"{where}{name} is unknown")


# Ed25519, RFC 8032: points (x, y) of the curve, as in its section 5.1.4, in extended coordinates.
PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
ED25519 = bytes.fromhex("302a300506032b6570032100")  # what comes before a public key's 32 bytes
CURVE = -121665 * pow(121666, -1, PRIME) % PRIME


def add_points(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % PRIME, (p[1] + p[0]) * (q[1] + q[0]) % PRIME
    c, d = 2 * p[3] * q[3] * CURVE % PRIME, 2 * p[2] * q[2] % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def times_point(scalar, point):
    total = (0, 1, 1, 0)
    while scalar:
        total, scalar, point = add_points(total, point) if scalar & 1 else total, scalar >> 1, add_points(point, point)
    return total


def decode_point(text):
    y = int.from_bytes(text, "little") & (2**255 - 1)
    square = (y * y - 1) * pow(CURVE * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    if (x * x - square) % PRIME or y >= PRIME:
        raise Refused("the signature or the key is no point of the curve")
    x = PRIME - x if x & 1 != text[31] >> 7 else x
    return x, y, 1, x * y % PRIME


def public_key(path):
    """Its 32 bytes, or the exit code and the reason why there are none."""
    try:
        with open(path, encoding="ascii") as file:
            lines = file.read().splitlines()
    except OSError as error:
        return None, (66, f"{path}: {error.strerror}")
    except UnicodeDecodeError:
        lines = []
    body = "".join(line for line in lines if not line.startswith("-"))
    try:
        bytes_of_key = base64.b64decode(body, validate=True)
    except ValueError:
        bytes_of_key = b""
    if "-----BEGIN PUBLIC KEY-----" not in lines or len(bytes_of_key) != 44 or bytes_of_key[:12] != ED25519:
        return None, (64, f"{path}: this is no Ed25519 public key in PEM")
    return bytes_of_key[-32:], None


def signature_of(scheme, text):
    try:
        signature = base64.b64decode(text, validate=True) if scheme == "ed25519" else b""
    except ValueError:
        signature = b""
    if len(signature) != 64:
        raise Refused("the file is not signed, or not by a key of this kind")
    return signature


def check_signature(model, sealed, key):
    """docs/certificate.md, "The digest"."""
    scheme, _, text = str(model.get("signature")).partition(":")
    signature = signature_of(scheme, text)
    message = b"tacit-model signature, version 1\n" + sealed
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    response = int.from_bytes(signature[32:], "little")
    base = decode_point(int.to_bytes(4 * pow(5, -1, PRIME) % PRIME, 32, "little"))
    left, right = times_point(response, base), add_points(decode_point(signature[:32]), times_point(challenge, decode_point(key)))
    if response >= ORDER or (left[0] * right[2] - right[0] * left[2]) % PRIME or (left[1] * right[2] - right[1] * left[2]) % PRIME:
        raise Refused("the signature does not hold")


EVENTS = {
    "pure": ("epsilon",), "laplace": ("epsilon",), "bounded-range": ("epsilon",), "isotropic-laplace": ("epsilon", "dimension"),
    "gaussian": ("mu",), "poisson-gaussian": ("noise_multiplier", "rate", "steps"),
    "gaussian-objective": ("mu", "jacobian", "far", "near"), "approx": ("epsilon", "delta"), "failure": ("delta",),
}
NESTING = {"composed": (), "parallel": (), "sampled": ("rate",), "group": ("records",), "one-of": (), "repeat-and-select": ()}


class Step:
    """One step of a certificate, with those within it."""

    def __init__(self, item, inside=False):
        if not isinstance(item, dict):
            raise Malformed("a step is not an object")
        self.mechanism = member(item, "mechanism", str)
        self.event = self.read_event(member(item, "event", dict))
        self.kind = self.event["kind"]
        moved = member(item, "sensitivity", dict)
        self.value, self.slack = member(moved, "value", float), member(moved, "slack", float)
        self.norm, self.reason = member(moved, "norm", str), member(moved, "reason", str)
        known(moved, ("value", "slack", "norm", "reason"), "sensitivity.")
        self.scale, self.grid = member(item, "scale", float), member(item, "grid", float)
        self.dimension = member(item, "dimension", int)
        if self.dimension < 0:
            raise Malformed('"dimension" is negative')
        self.times = member(item, "times", int) if "times" in item else 1
        self.inner = [Step(each, True) for each in member(item, "inner", list)] if "inner" in item else []
        self.nesting = member(item, "nesting", dict) if "nesting" in item else {}
        self.rule = self.read_rule() if self.nesting else None
        known(item, ("mechanism", "event", "sensitivity", "scale", "grid", "dimension", "times", "inner", "nesting"), "a step's ")
        if bool(self.inner) != bool(self.rule) or self.times < 1 or ("times" in item and not inside):
            raise Refused(f"{self.mechanism} has inner steps without a rule, a rule without inner steps, or a count that it cannot have")
        bad = [x for x in (self.value, self.slack, self.scale, self.grid) if not 0 <= x < math.inf]
        if bad or any(isinstance(x, float) and not 0 <= x < math.inf for x in self.event.values()):
            raise Refused(f"{self.mechanism} has a number that is negative or not finite")

    @staticmethod
    def read_event(item):
        kind = member(item, "kind", str)
        if kind not in EVENTS:
            raise Malformed(f'an event of unknown kind "{kind}"')
        known(item, ("kind",) + EVENTS[kind], "event.")
        whole = ("dimension", "steps", "far", "near")
        return {"kind": kind, **{name: member(item, name, int if name in whole else float) for name in EVENTS[kind]}}

    def read_rule(self):
        rule = member(self.nesting, "rule", str)
        if rule not in NESTING:
            raise Malformed(f'a nesting of unknown rule "{rule}"')
        known(self.nesting, ("rule",) + NESTING[rule], "nesting.")
        for name in NESTING[rule]:
            self.nesting[name] = member(self.nesting, name, float)
        return rule

    @property
    def moved(self):
        return self.value + self.slack


# ---------------------------------------------------------------------------------------------------------------------
# Accounting: docs/accounting.md. Losses are L = ln dP/dQ under P; M(s) = E e^{sL}; K = ln M.


def normal_tail(x):
    """P(N(0,1) > x)."""
    return math.erfc(x / math.sqrt(2)) / 2


def gaussian_delta(epsilon, mu):
    """The delta of a Gaussian mechanism of shift mu at epsilon, to full precision."""
    with mpmath.workdps(40):
        e, m = mpmath.mpf(epsilon), mpmath.mpf(mu)
        return float(mpmath.ncdf(-e / m + m / 2) - mpmath.exp(e) * mpmath.ncdf(-e / m - m / 2))


def bisect(falling, low, high, rounds=200):
    """Where a falling function changes its sign, from above (what is returned has a value <= 0)."""
    for _ in range(rounds):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if falling(middle) <= 0 else (middle, high)
    return high


class Laws:
    """The privacy losses of some events, composed: failures apart, and K(s) of the rest."""

    def __init__(self, events, swapped):
        self.survive, self.mu2 = 1.0, 0.0
        self.atoms, self.laplace, self.ranges, self.sampled, self.objective = [], [], [], [], []
        for event, times in events:
            kind = event["kind"]
            if kind == "gaussian":
                self.mu2 += times * event["mu"] ** 2
            elif kind == "poisson-gaussian" and event["rate"] == 1:
                self.mu2 += times * event["steps"] / event["noise_multiplier"] ** 2
            elif kind == "poisson-gaussian":
                self.sampled.append((event["noise_multiplier"], event["rate"], times * event["steps"]))
            elif kind == "gaussian-objective":
                self.objective += [event] * times
            elif kind == "laplace" or (kind == "isotropic-laplace" and event["dimension"] == 1):
                self.laplace.append((event["epsilon"], times))
            elif kind == "bounded-range":
                self.ranges.append((event["epsilon"], times))
            elif kind in ("pure", "isotropic-laplace", "approx"):
                self.atoms.append((event["epsilon"], times))
            elif kind != "failure":
                raise Refused(f"the event {kind} has no account")
            self.survive *= (1 - event.get("delta", 0.0)) ** times
        self.swapped = swapped

    def cut(self, index, tilt, frequency):
        """Nodes (loss, weight) of sampled event `index`, tilted: M(tilt + iu) = scale * sum weight e^{iu loss}, |u| <= frequency.

        The trapezoidal rule on an integrand that is analytic in a strip: its error falls exponentially with 1/h.
        """
        sigma, rate, _ = self.sampled[index]
        h = min(sigma / 6, 0.3 * sigma * sigma, 2 * math.pi / (frequency / sigma**2 + 12 / sigma))
        power = -tilt if self.swapped else tilt + 1
        if self.swapped:  # the ratio is at least 1 - rate, so that the exponent is below its value at 0 by 46 beyond this
            still = math.log1p(rate * math.expm1(-0.5 / sigma**2)) - math.log1p(-rate)
            low, high = -min(tilt + 11 * sigma, sigma * math.sqrt(2 * (46 + tilt * still))), 11 * sigma
        else:
            low, high = -11 * sigma, tilt + 1 + 11 * sigma
        nodes = []
        for j in range(math.floor(low / h), math.ceil(high / h) + 1):
            x = j * h
            z = (2 * x - 1) / (2 * sigma * sigma)
            ratio = math.log1p(rate * math.expm1(z)) if z < 30 else z + math.log(rate + (1 - rate) * math.exp(-z))
            nodes.append((-ratio if self.swapped else ratio, power * ratio - x * x / (2 * sigma * sigma)))
        top = max(a for _, a in nodes)
        kept = [(loss, math.exp(a - top)) for loss, a in nodes if a > top - 46]
        total = math.fsum(w for _, w in kept)
        return [(loss, w / total) for loss, w in kept], top + math.log(total * h / (sigma * math.sqrt(2 * math.pi)))

    def closed(self, s):
        """K(s) of all events but the sampled ones, for complex s."""
        value = s * (s + 1) * self.mu2 / 2
        for epsilon, times in self.laplace:
            fall = cmath.exp(-(2 * s + 1) * epsilon)
            value += times * (s * epsilon + cmath.log((1 - fall) / (4 * s + 2) + 0.5 + fall / 2))
        for epsilon, times in self.ranges:
            fall = cmath.exp(-(2 * s + 1) * epsilon)
            value += times * (s * epsilon + cmath.log((1 - fall) / ((2 * s + 1) * -math.expm1(-epsilon))))
        for epsilon, times in self.atoms:
            value += times * (s * epsilon + cmath.log((1 + cmath.exp(-(2 * s + 1) * epsilon)) / (1 + math.exp(-epsilon))))
        return value

    def cumulant(self, tilt):
        """K at a real point."""
        value = self.closed(complex(tilt)).real
        for index, (_, _, steps) in enumerate(self.sampled):
            value += steps * self.cut(index, tilt, 0.0)[1]
        return value

    def exact(self, epsilon):
        """F(epsilon) where it has a closed form, failures left out; None where it has none."""
        if self.objective:
            return self.objective_delta(epsilon)
        if not (self.mu2 or self.sampled or self.laplace or self.ranges):
            return atoms_delta(self.atoms, epsilon)
        if not (self.sampled or self.laplace or self.ranges or self.atoms):
            return gaussian_delta(epsilon, math.sqrt(self.mu2))
        if not (self.mu2 or self.sampled or self.ranges) and self.laplace_count() == 1:
            return math.fsum(p * laplace_delta(epsilon - l, self.laplace[0][0]) for l, p in atoms_law(self.atoms))
        if not (self.mu2 or self.sampled or self.atoms or self.laplace) and sum(n for _, n in self.ranges) == 1:
            whole = self.ranges[0][0]
            return math.expm1((min(epsilon, whole) - whole) / 2) ** 2 / -math.expm1(-whole)
        return None

    def laplace_count(self):
        return sum(n for _, n in self.laplace)

    def objective_delta(self, epsilon):
        """One Gaussian objective perturbation (docs/gaussian_objective.md), atoms beside it and at most one number with Laplace noise."""
        if len(self.objective) > 1 or self.mu2 or self.sampled or self.laplace_count() > 1 or self.ranges:
            raise Refused("a Gaussian objective perturbation beside other noise has no account here")
        law = self.objective[0]
        shifts = ((law["far"], law["mu"]), (law["near"], law["mu"] / math.sqrt(2)))
        jacobian = law["jacobian"]

        def tail(t):
            return sum(c * normal_tail((t - jacobian) / m - m / 2) for c, m in shifts)

        def curve(e):
            return sum(c * gaussian_delta(e - jacobian, m) for c, m in shifts)
        # One far corner alone has a tail below 1 at the Jacobian's part, where the rest of the mass lies.
        start = jacobian if tail(jacobian) <= 1 else bisect(lambda t: tail(t) - 1, jacobian, jacobian + 40 * law["mu"] + 40)
        at_start = curve(start)

        def whole(e):
            return curve(e) if e >= start else 1 - (1 - at_start) * math.exp(e - start)

        def beside(e):
            return laplace_mean(lambda l: whole(e - l), self.laplace[0][0], e - start) if self.laplace else whole(e)
        return math.fsum(p * beside(epsilon - l) for l, p in atoms_law(self.atoms))


def atoms_law(atoms):
    """The law of the sum of losses of randomised responses: pairs (loss, probability)."""
    law = {0.0: 1.0}
    for epsilon, times in atoms:
        p, fresh = 1 / (1 + math.exp(-epsilon)), {}
        for k in range(times + 1):
            share = math.comb(times, k) * p**k * (1 - p) ** (times - k)
            for loss, mass in law.items():
                at = loss + (2 * k - times) * epsilon
                fresh[at] = fresh.get(at, 0.0) + mass * share
        law = fresh
    return list(law.items())


def atoms_delta(atoms, epsilon):
    return math.fsum(p * -math.expm1(epsilon - l) for l, p in atoms_law(atoms) if l > epsilon)


def laplace_delta(epsilon, whole):
    """F of Laplace noise of this epsilon, at any number: its losses lie within +-whole."""
    return -math.expm1((epsilon - whole) / 2) if -whole <= epsilon <= whole else max(0.0, -math.expm1(epsilon))


def laplace_mean(function, whole, kink):
    """The mean of a function of the loss of Laplace noise; the function is smooth on both sides of the kink."""
    ends = sorted({-whole, min(max(kink, -whole), whole), whole})
    inside = sum(float(mpmath.quad(lambda l: function(float(l)) * math.exp((float(l) - whole) / 2) / 4, pair)) for pair in zip(ends, ends[1:]))
    return inside + function(whole) / 2 + function(-whole) * math.exp(-whole) / 2


def approximate_epsilon(events, delta):
    """A bracket of the least epsilon at delta for a composition of events [(event, times)]; (inf, inf) where there is none."""
    low, high = one_direction(Laws(events, False), delta)
    other = Laws(events, True)
    if other.sampled and Inversion.chernoff(other, delta) > low:
        lower, higher = one_direction(other, delta)
        low, high = max(low, lower), max(high, higher)
    return low, high


class Inversion:
    """F of composed laws near one epsilon, by inversion of e^K.

    F(e) = (1/pi) Re integral over u >= 0 of exp(K(s) - s e)/(s(s+1)), s = t + iu, for any tilt t > 0. The trapezoidal rule with step d gives
    the sum of exp(t k W) F(e + kW) over all whole k, W = 2 pi/d. No term is negative, so that this is above F, and the excess has a
    bound: Chernoff's for k > 0, F <= 1 for k < 0.
    """

    def __init__(self, laws, delta):
        self.laws, self.known = laws, {}
        best = self.best_tilt(math.log(1 / delta))
        # Where rare losses are large the best tilt makes them common, and the sum long: a smaller one is then cheaper. But what the
        # sum's terms are rounded and cut off by is a share of e^(K(t) - t e), which must not be far above delta near the epsilon sought.
        enough = (self.cumulant(best) + math.log(1 / delta)) / best
        tilts = [best / 1.5**k for k in range(12)]
        tilts = [t for t in tilts if self.cumulant(t) - t * enough + math.log(1 / delta) <= 7] or [best]
        _, self.tilt, self.width, spread = min(self.price(t, delta) for t in tilts)
        self.front = self.cumulant(self.tilt)
        self.step = 2 * math.pi / self.width
        self.tabulate(9 / spread)

    @classmethod
    def chernoff(cls, laws, delta):
        """An epsilon that is enough at delta, failures included."""
        left = (delta - (1 - laws.survive)) / laws.survive
        if left <= 0:
            return math.inf
        bare = cls.__new__(cls)
        bare.laws, bare.known = laws, {}
        t = bare.best_tilt(math.log(1 / left))
        return (bare.cumulant(t) + math.log(1 / left)) / t

    def price(self, t, delta):
        """How many terms the sum would have with tilt t, and the width and spread that say so."""
        k, h = self.cumulant(t), 1e-3 * t
        spread = math.sqrt(max(1e-300, (self.cumulant(t + h) - 2 * k + self.cumulant(t - h)) / h**2))
        self.tilt, self.width = t, max((math.log(1 / delta) + 20) / t, 10 * spread)
        epsilon = 0.7 * (k + math.log(1 / delta)) / t
        while self.wrapped(epsilon) > 1e-7 * delta and self.width < 1e5:
            self.width *= 1.3
        return self.width / spread, t, self.width, spread

    def cumulant(self, t):
        if t not in self.known:
            self.known[t] = self.laws.cumulant(t)
        return self.known[t]

    def best_tilt(self, log_delta):
        """The tilt of the least Chernoff bound (K(t) + ln 1/delta)/t. Any tilt is right; this one makes the sum short."""
        low, high = 1e-4, 1e7
        golden = (math.sqrt(5) - 1) / 2
        a, b = math.log(low), math.log(high)

        def bound(x):
            value = self.cumulant(math.exp(x))
            return (value + log_delta) / math.exp(x) if value < 1e8 else math.inf
        c, d = b - golden * (b - a), a + golden * (b - a)
        while b - a > 0.02:
            if bound(c) <= bound(d):
                b, d = d, c
                c = b - golden * (b - a)
            else:
                a, c = c, d
                d = a + golden * (b - a)
        return math.exp((a + b) / 2)

    def wrapped(self, epsilon):
        """A bound on what the trapezoidal rule adds at epsilon."""
        t, w = self.tilt, self.width
        below = math.exp(-t * w) / -math.expm1(-t * w)
        above = math.inf
        for r in (0.05, 0.2, 0.5, 1.0, 2.0):
            exponent = self.cumulant(t * (1 + r)) - t * (1 + r) * epsilon - t * r * w
            if exponent < 0:
                above = min(above, math.exp(exponent) / -math.expm1(-t * r * w))
        return below + above

    def tabulate(self, frequency):
        """exp(K(t + iu) - K(t)) at the multiples of the step, up to where it vanishes or no longer matters."""
        laws, t = self.laws, self.tilt
        while True:
            cuts = [laws.cut(i, t, frequency)[0] for i in range(len(laws.sampled))]
            turns = [[cmath.exp(1j * self.step * loss) for loss, _ in nodes] for nodes in cuts]
            waves = [[complex(w) for _, w in nodes] for nodes in cuts]
            base = laws.closed(complex(t)).real
            self.values = [1.0]
            for j in range(1, min(40000, int(frequency / self.step)) + 2):
                value = cmath.exp(laws.closed(complex(t, j * self.step)) - base)
                for i, (_, _, steps) in enumerate(laws.sampled):
                    waves[i] = [z * r for z, r in zip(waves[i], turns[i])]
                    value *= sum(waves[i]) ** steps
                self.values.append(value)
                if j > 8 and max(map(abs, self.values[-8:])) < 1e-12:
                    break
            size = max(map(abs, self.values[-(len(self.values) // 3 + 1):]))
            self.left = size / ((len(self.values) - 1) * self.step) / self.step  # the integral of 1/u^2 beyond the end, over the step
            work = len(self.values) * sum(map(len, cuts))
            if self.left * t * (t + 1) < 1e-6 or len(self.values) > 40000 or work > 2e7:
                return
            frequency *= 2

    def bracket(self, epsilon):
        t = self.tilt
        if self.front - t * epsilon > 600:
            return 1.0, 1.0  # far below the epsilon that the tilt is for
        front = math.exp(self.front - t * epsilon) * self.step / math.pi
        total = 0.5 / (t * (t + 1))
        turn, wave = cmath.exp(-1j * self.step * epsilon), 1.0
        for j, value in enumerate(self.values[1:], 1):
            wave *= turn
            s = complex(t, j * self.step)
            total += (wave * value / (s * (s + 1))).real
        error = front * (self.left + 1e-13 * (1 + sum(n for _, _, n in self.laws.sampled)) / (t * (t + 1)))
        total *= front
        return max(0.0, total - error - self.wrapped(epsilon)), total + error


def one_direction(laws, delta):
    left = (delta - (1 - laws.survive)) / laws.survive
    if left < 0:
        return math.inf, math.inf
    bounded = not (laws.mu2 or laws.sampled or laws.objective)
    most = sum(e * n for e, n in laws.atoms + laws.laplace + laws.ranges) if bounded else math.inf
    if left == 0:
        return most, most
    if laws.exact(1.0) is not None:
        curves = [laws.exact] * 2
    else:
        inversion = Inversion(laws, left)
        curves = [lambda e, i=i: inversion.bracket(e)[i] for i in (0, 1)]
    high = 1.0
    while high < most and curves[1](high) > left:
        high *= 2
        if high > 1e7:
            return 0.0, math.inf
    if curves[1](0.0) <= left:
        return 0.0, 0.0
    above = bisect(lambda e: curves[1](e) - left, 0.0, min(high, most), 45)
    # The lower end is 0 where nothing is known, far below the epsilon that the tilt is for: it is looked for from above.
    start = next((e for e in (above * (1 - 2.0**-k) for k in range(12, -1, -1)) if curves[0](e) > left), 0.0)
    return min(most, bisect(lambda e: curves[0](e) - left, start, above, 45)), min(most, above)


# ---------------------------------------------------------------------------------------------------------------------
# What is compared, and how


def same(stated, expected, what, tolerance=1e-10):
    if not (math.isfinite(expected) and abs(stated - expected) <= tolerance * abs(expected) + 1e-300):
        raise Refused(f"{what} is {float(stated)!r}, expected {float(expected)!r}")


def covers(stated, needed, what):
    """A stated cost is what is needed, and not below it."""
    if not (math.isfinite(stated) and math.isfinite(needed)):
        raise Refused(f"{what} has a cost that is not finite")
    if not stated >= needed * (1 - SAFE):
        raise Refused(f"{what} states {float(stated)!r}, but {float(needed)!r} is needed")
    if not stated <= needed * (1 + LOOSE):
        raise Refused(f"{what} states {float(stated)!r}, where {float(needed)!r} is needed: the numbers of the step do not belong together")


def is_text(stated, expected, what):
    if stated != expected:
        raise Refused(f"{what} is {stated}, expected {expected}")


def power_of_two_above(x):
    m, e = math.frexp(x)
    return math.ldexp(1.0, e - 1 if m == 0.5 else e)


def lattice(scale, span=0.0):
    """docs/noise.md: the grid of numbers of size up to span with noise of this scale."""
    return power_of_two_above(max(scale * 2.0**-20, span * 2.0**-50))


def gamma(k):
    return k * U / (1 - k * U)


def gamma_quantile(shape, probability):
    """Of the Gamma law of whole order: P(x) = 1 - e^-x sum x^k/k!."""
    def above(x):
        return mpmath.gammainc(shape, x, regularized=True) - (1 - mpmath.mpf(probability))
    return bisect(above, 0.0, 10.0 * float(shape) + 200)


def expect(step, mechanism, kind, value, slack, norm, dimension=None):
    """The facts of a step that do not follow from its noise."""
    is_text(step.mechanism, mechanism, "a step")
    is_text(step.kind, kind, f"the event of {mechanism}")
    is_text(step.norm, norm, f"the norm of {mechanism}")
    same(step.value, value, f"the sensitivity of {mechanism}")
    same(step.slack, slack, f"the slack of {mechanism}")
    if dimension is not None:
        is_text(step.dimension, dimension, f"the dimension of {mechanism}")
    if "dimension" in step.event:
        is_text(step.event["dimension"], step.dimension, f"the dimension in the event of {mechanism}")
    if step.grid and step.grid != power_of_two_above(step.grid):
        raise Refused(f"the grid of {mechanism} is no power of two")


def formal(step, mechanism, rule=None, kind=None):
    """A step that only holds others, or a failure: it has no noise of its own."""
    is_text((step.mechanism, step.rule), (mechanism, rule), "a step and its rule")
    if kind:
        is_text(step.kind, kind, f"the event of {mechanism}")
    is_text((step.value, step.slack, step.norm, step.scale, step.grid, step.dimension), (0, 0, "l2", 0, 0, 0), f"what {mechanism} does by itself")


def noise_cost(step, times=1):
    """Laplace and Gaussian noise: sensitivity over scale, for a number of releases."""
    needed = math.sqrt(times) * step.moved / step.scale if step.kind == "gaussian" else times * step.moved / step.scale
    covers(step.event["mu" if step.kind == "gaussian" else "epsilon"], needed, step.mechanism)


def fine_enough(step):
    """docs/noise.md: numbers of this scale lie on no finer grid."""
    if step.grid < lattice(step.scale) or step.grid != power_of_two_above(step.grid):
        raise Refused(f"the grid of {step.mechanism} is finer than its scale allows")


def choice_cost(step, span=0.0):
    """docs/mechanisms.md, exponential mechanism: weights exp(score/scale), scores up to span."""
    covers(step.event["epsilon"], 2 * (step.moved + 2 * U * span) / step.scale, step.mechanism)
    is_text(step.grid, 0, f"the grid of {step.mechanism}")


def take(steps, count, method):
    if len(steps) != count:
        raise Refused(f"{len(steps)} steps are recorded, {method} takes {count}")
    return steps


# ---------------------------------------------------------------------------------------------------------------------
# Steps within steps: docs/certificate.md

PURE = ("pure", "laplace", "isotropic-laplace", "bounded-range")
memory = {}


def least_epsilon(events, delta):
    """The lower end of the account; the same question is answered once."""
    key = (tuple((tuple(sorted(e.items(), key=str)), n) for e, n in events), delta)
    if key not in memory:
        memory[key] = approximate_epsilon(events, delta)
    return memory[key]


def bounded(stated, events, delta, what):
    """An epsilon at a delta is at least what is needed, and hardly more."""
    low, high = least_epsilon(events, delta)
    if stated < low * (1 - 1e-9):
        raise Refused(f"{what} states epsilon {float(stated)!r} at delta {delta!r}, but at least {low!r} is needed")
    if stated < high * (1 - 1e-9) and high - low > 1e-3 * high:
        raise Refused(f"{what} states epsilon {float(stated)!r}; the account is only known to lie between {low!r} and {high!r}")
    return low


def composed_cost(outer, events):
    kind = outer["kind"]
    if kind in PURE:
        if any(e["kind"] not in PURE for e, _ in events):
            raise Refused("a pure event covers one that is not")
        return outer["epsilon"], math.fsum(e["epsilon"] * n for e, n in events)
    if kind == "gaussian":
        if any(e["kind"] != "gaussian" for e, _ in events):
            raise Refused("a Gaussian event covers one that is not")
        return outer["mu"], math.sqrt(math.fsum(e["mu"] ** 2 * n for e, n in events))
    if kind == "failure":
        if any(e["kind"] != "failure" for e, _ in events):
            raise Refused("a failure covers what is none")
        return outer["delta"], math.fsum(e["delta"] * n for e, n in events)
    if kind == "approx":
        return outer["epsilon"], least_epsilon(events, outer["delta"])[0]
    if events == [(outer, 1)]:
        return 1.0, 1.0
    raise Refused(f"an event {kind} covers others")


def no_dearer(outer, event):
    if outer["kind"] == "approx" and event["kind"] == "approx":
        return event["epsilon"] <= outer["epsilon"] * (1 + SAFE) and event["delta"] <= outer["delta"] * (1 + SAFE)
    stated, needed = composed_cost(outer, [(event, 1)])
    return stated >= needed * (1 - SAFE)


def check_nesting(step):
    """The event of a step covers the steps within it, by its rule."""
    for each in step.inner:
        check_nesting(each)
    events = [(each.event, each.times) for each in step.inner]
    if step.rule == "composed":
        stated, needed = composed_cost(step.event, events)
        ok = stated >= needed * (1 - SAFE)
    elif step.rule in ("parallel", "one-of"):
        ok = all(no_dearer(step.event, event) for event, _ in events)
    elif step.rule == "repeat-and-select":
        ok = len(events) == 1 and events[0][1] == 1 and step.event["epsilon"] >= 2 * events[0][0]["epsilon"] * (1 - SAFE)
    elif step.rule == "sampled":
        ok = len(events) == 1 and sampled_covers(step.event, events[0][0], step.nesting["rate"])
    elif step.rule == "group":
        ok = group_covers(step.event, events, step.nesting["records"])
    else:
        ok = True
    if not ok:
        raise Refused(f"the event of {step.mechanism} does not cover the steps within it ({step.rule})")


def sampled_covers(outer, inner, rate):
    epsilon = math.log1p(rate * math.expm1(inner["epsilon"]))
    return outer["epsilon"] >= epsilon * (1 - SAFE) and outer["delta"] >= rate * inner["delta"] * (1 - SAFE) and 0 < rate <= 1


def group_covers(outer, events, records):
    epsilon = outer["epsilon"] / records
    delta = outer["delta"] * math.expm1(epsilon) / math.expm1(outer["epsilon"])
    return least_epsilon(events, delta)[0] <= epsilon * (1 + 1e-9)


# ---------------------------------------------------------------------------------------------------------------------
# The solver's certified distance: docs/limited_objective.md, "On a machine"


def plain_number(value, name):
    """A number of the options or facts: what is none belongs to no fit."""
    try:
        return number(value, name)
    except Malformed as error:
        raise Refused(str(error)) from error


class Fit:
    """What a method is planned from: options and public facts."""

    def __init__(self, options, public, notion, relation, version):
        self.options, self.public, self.notion, self.relation, self.version = options, public, notion, relation, version
        self.cover = "eraser" if version == 1 else "noise-cover"  # what the noise over a solver's distance is called
        self.n = self.whole("records")
        self.p = self.whole("features")
        self.loss = public.get("loss")
        self.classes = int(number(public["classes"], "classes")) if isinstance(public.get("classes"), (int, float)) else 2
        self.outputs = self.classes - 1 if self.loss == "softmax" else 1
        self.dimension = self.p * self.outputs
        self.delta = self.option("delta") if "delta" in options else None
        self.epsilon = self.option("epsilon") if "epsilon" in options else None
        self.mu = self.option("mu") if "mu" in options else None
        # How many additions more a term goes through where shards' sums are added: docs/clusters.md.
        shards = self.whole("shards") if "shards" in public else 1
        if "shards" in public and not 2 <= shards <= 65536:
            raise Refused(f"assumed_public.shards is {shards}")
        self.joining = 2 * (math.floor(math.log2(shards)) + 1) if shards > 1 else 0

    def whole(self, name):
        value = self.public.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise Refused(f"assumed_public.{name} is no count")
        return value

    def fact(self, name, otherwise=None):
        if name not in self.public and otherwise is not None:
            return otherwise
        if name not in self.public:
            raise Refused(f"assumed_public.{name} is missing")
        return plain_number(self.public[name], f"assumed_public.{name}")

    def option(self, name, otherwise=None):
        if name not in self.options and otherwise is not None:
            return otherwise
        if name not in self.options:
            raise Refused(f"options.{name} is missing")
        return plain_number(self.options[name], f"options.{name}")

    def text(self, name, allowed):
        value = self.options.get(name)
        if value not in allowed:
            raise Refused(f"options.{name} is {value!r}, expected {' or '.join(allowed)}")
        return value

    @property
    def label_bound(self):
        return self.option("label_bound") if "label_bound" in self.options else self.fact("label_bound", 1.0)

    def limits(self):
        """C, Q, lambda, R, within what doubles bear."""
        names = ("slope_limit", "curvature_limit", "regularisation", "radius")
        values = [self.option(name) for name in names]
        for name, value in zip(names, values):
            if not 2.0**-100 <= value <= 2.0**100:
                raise Refused(f"options.{name} is beyond 2^+-100")
        return values


def gradient_error(fit, n, slope, curvature, strength):
    """E0, E1: the computed gradient sum at w is within E0 + E1 |w| of the real one."""
    own, steep = 16 * slope, 0.0
    if fit.loss == "poisson":
        own = 32 * (512 + abs(math.log(curvature))) * (curvature + fit.label_bound + 2 * slope)
        steep = 8 * curvature
    elif fit.loss == "softmax":
        root = math.sqrt(fit.classes)
        own, steep = (8 * fit.classes + 64) * root * slope, (fit.classes + 2) * root * curvature
    rows = min(max(power_of_two_above(max(fit.dimension // 8, 1)), 128), 16384)
    depth = int(rows) + 12 + 2 * math.floor(math.log2(n)) + fit.joining
    return (n * (slope * (gamma(depth) * (1 + 2.0**-20) + 16 * U) + U * own),
            n * (curvature * gamma(6 + fit.p // 4) + U * (16 * strength + steep)))


def solver_distance(fit, n, slope, curvature, strength, ball, grid=0.0, center=0.0):
    """t': how far the computed minimiser, projected onto the ball, is from the ideal one, at most."""
    e0, e1 = gradient_error(fit, n, slope, curvature, strength)
    d, pull = fit.dimension, n * strength
    t0 = 4.04 * e0 / pull + grid * math.sqrt(d) / (2 * pull)
    t1 = 4.04 * e1 / pull
    shifted = t1 * center + (4 * U * (ball + center) if center else 0.0)
    if t0 > ball / 4 or t1 > 1 / 8:
        raise Refused("doubles are too coarse for the solver's distance")
    return t0 + 2 * t1 * ball + gamma(d + 8) * ball + shifted


# ---------------------------------------------------------------------------------------------------------------------
# Methods on limited losses


def feature_blocks(fit):
    """docs/shaped_noise.md: (sizes, bounds, which are full) of the blocks, or None."""
    if "feature_blocks" not in fit.options:
        return None
    sizes, bounds, full = [], [], []
    try:
        for part in fit.options["feature_blocks"].split(","):
            shape, bound = part.split("=" if "=" in part else ":")
            count, size = shape.split("*") if "*" in shape else ("1", shape)
            sizes += [int(size)] * int(count)
            bounds += [float(bound)] * int(count)
            full += ["=" in part] * int(count)
    except (ValueError, AttributeError) as error:
        raise Refused("options.feature_blocks cannot be read") from error
    if sum(sizes) != fit.p or min(sizes) < 1 or not all(0 < b < math.inf for b in bounds):
        raise Refused("options.feature_blocks does not have the model's features")
    degree = sum(k - 1 for k, whole in zip(sizes, full) if whole)
    if any(full) and (fit.outputs != 1 or sum(full) < 2 or not 1 <= degree <= 1024):
        raise Refused("options.feature_blocks has full blocks that make no plane for noise")
    return sizes, bounds, full


def plane_dimension(blocks):
    """docs/shaped_noise.md: the dimension of the plane of the full blocks, or None where noise fills all of K."""
    sizes, _, full = blocks
    return sum(sizes) - sum(full) + 1 if any(full) else None


def chosen_sizes(fit, steps):
    """docs/private_limits.md: the queries about sizes. Returns the epsilon and the steps that are left."""
    epsilon = fit.epsilon
    if "limits" not in fit.options:
        return epsilon, steps
    if fit.notion != "pure":
        raise Refused("sizes are chosen privately under pure privacy alone")
    is_text(fit.options["limits"], "chosen privately", "options.limits")
    columns = fit.p - (1 if fit.fact("intercept") else 0)
    shares, grids = [], []
    if fit.option("column_share") and columns:
        shares += [fit.option("column_share") / columns] * columns
        grids += [129] * columns
    sizes = [] if "row_norm_bound" in fit.public else [513]
    if fit.loss == "poisson" and "label_bound" not in fit.public:
        sizes += [129]
    elif fit.loss in ("squared", "huber", "absolute", "pinball") and "label_bound" not in fit.public:
        sizes += [129, 513, 129]
    if fit.loss in ("squared", "huber", "poisson"):
        sizes += [81]
    if sizes:
        shares += [fit.option("limit_share") / len(sizes)] * len(sizes)
    grids += sizes
    if not shares or len(steps) < len(shares):
        raise Refused("a choice of sizes is missing")
    for step, share, points in zip(steps, shares, grids):
        expect(step, "exponential", "bounded-range", 1.0, 0.0, "linf", points)
        same(step.event["epsilon"], share * epsilon, "the epsilon of a choice of sizes")
        choice_cost(step, fit.n)
    spent = math.fsum(step.event["epsilon"] for step in steps[:len(shares)])
    return epsilon - spent, steps[len(shares):]


def share_of(stated, planned, what):
    """A part of the budget, which may be less than planned by a margin for rounding alone."""
    if not (math.isfinite(planned) and planned * (1 - 1e-8) <= stated <= planned * (1 + SAFE)):
        raise Refused(f"{what} is {stated!r}, planned is {planned!r}")


def shift(fit):
    """How many records' slopes apart neighbours are: two where one is replaced, one where it is there or null."""
    return 2 if fit.relation == "replace_one" else 1


def limited_objective(fit, steps):
    epsilon, steps = chosen_sizes(fit, steps)
    objective_and_cover(fit, take(steps, 2, "limited-objective"), fit.n, fit.option("regularisation"), epsilon)


def objective_and_cover(fit, steps, n, strength, epsilon, center=0.0, slope=None):
    """docs/limited_objective.md, docs/shaped_noise.md, docs/gaussian_objective.md."""
    limit, curvature, _, radius = fit.limits()
    slope = limit if slope is None else slope
    objective, cover = steps
    blocks = feature_blocks(fit)
    pair = shift(fit)
    jacobian = fit.outputs * math.log1p(curvature / (n * strength))
    kind = "pure" if fit.notion == "pure" or blocks else "gaussian-objective"
    expect(objective, "objective-perturbation", kind, pair * slope, 0.0, "gauge" if blocks else "l2", fit.dimension)
    told = re.search(r"the plane of the full blocks, of dimension (\d+)", objective.reason)
    dimension = plane_dimension(blocks) if blocks else None
    is_text(told and int(told[1]), dimension, "the dimension of the plane that the objective's noise is in")
    is_text(objective.grid, power_of_two_above(objective.scale * (max(blocks[1]) if blocks else 1.0) * 2.0**-34), "the objective's grid")
    if kind == "pure":
        covers(objective.event["epsilon"], objective.value / objective.scale + jacobian, "objective-perturbation")
        share_of(objective.event["epsilon"], (0.99 if fit.notion == "pure" else 0.989) * epsilon, "the epsilon of the objective's noise")
    else:
        gaussian_objective(fit, objective, jacobian)
    steepest = slope * math.sqrt(math.fsum(b * b for b in blocks[1])) if blocks else slope
    ball = fit.option("projection_radius", 10 * radius)
    same(ball, 10 * radius, "options.projection_radius")
    distance = solver_distance(fit, n, steepest, curvature, strength, ball, objective.grid, center)
    if "distance" in fit.options and not center:
        same(fit.option("distance"), distance, "options.distance")
    expect(cover, fit.cover, "isotropic-laplace", 2 * distance, 0.0, "l2", fit.dimension)
    noise_cost(cover)
    share_of(cover.event["epsilon"], 0.01 * epsilon, "the epsilon of the noise cover")
    if not center:
        is_text(cover.grid, lattice(cover.scale, ball), "the grid of the noise cover")


def gaussian_objective(fit, step, jacobian):
    event = step.event
    covers(event["mu"], step.value / step.scale, "objective-perturbation")
    covers(event["jacobian"], jacobian, "the Jacobian's part")
    r = fit.outputs
    far, near = {"logistic": (1, 2), "hinge": (1, 2), "smoothed-hinge": (1, 2), "softmax": (r * r, 2 * r)}.get(fit.loss, (2, 2))
    if fit.relation != "replace_one":
        far, near = r if fit.loss == "softmax" else far, 0
    is_text((event["far"], event["near"]), (far, near), "(far, near)")


def domain_rows(fit, kind, rest):
    """The numbers of a domain, line by line, as many in each as its kind needs."""
    p = fit.dimension
    lines = [[float(x) for x in line.split(",")] for line in rest.split(";")]
    widths = {"box": 2, "polytope": p + 1, "ellipsoid": p}
    counts = {"box": (1, p), "polytope": range(1, len(lines) + 1), "ellipsoid": (p + 1,)}
    if len(lines) not in counts[kind] or any(len(line) != widths[kind] for line in lines):
        raise Refused("options.domain does not have the model's coordinates")
    return lines


def domain_of(fit, ball=None):
    """docs/double_output.md: what is solved over, as (is a box, largest norm, diameter), and the penalty's sizes beside
    its strength (Lipschitz constant, smoothness, rounding); or the ball around 0; or None."""
    none = (0.0, 0.0, 0.0)
    if "domain" not in fit.options:
        return ball and (False, ball, 2 * ball, none)
    radius = fit.limits()[3]
    try:
        kind, rest = fit.options["domain"].split(":")
        if kind == "ball":
            size, _, center = rest.partition("@")
            center, size = [float(x) for x in center.split(",")] if center else [0.0] * fit.dimension, float(size)
            if len(center) != fit.dimension or not size > 0:
                raise Refused("options.domain is no ball of the model's coordinates")
            return False, math.hypot(*center) + size, 2 * size, none
        if kind not in ("box", "polytope", "ellipsoid"):
            raise Refused("options.domain is of no kind that is known")
        lines = domain_rows(fit, kind, rest)
    except (ValueError, AttributeError) as error:
        raise Refused("options.domain cannot be read") from error
    if kind == "box":
        pairs = lines * fit.dimension if len(lines) == 1 else lines
        if not all(a <= b for a, b in pairs):
            raise Refused("options.domain is no box")
        return True, math.hypot(*(max(abs(a), abs(b)) for a, b in pairs)), math.hypot(*(b - a for a, b in pairs)), none
    if kind == "polytope":
        reach = math.fsum(radius + abs(line[-1]) / math.hypot(*line[:-1]) for line in lines)
        sizes = 1.01 * reach, 1.01 * len(lines), 4 * gamma(fit.dimension + len(lines) + 32) * 1.01 * reach
    else:
        far = 1.01 * (radius + math.hypot(*lines[0]))
        shape = 1.01 * math.sqrt(math.fsum(x * x for line in lines[1:] for x in line))
        sums = 8 * (fit.dimension**2 + 32) * 2.0**-64 * math.sqrt(shape) * far
        sizes = 1.01 * far, 1.01, 1.01 * far * (sums + 64 * U)
    return False, radius, 2 * radius, sizes


def distance_within(fit, n, slope, curvature, strength, domain, vector, cut):
    """docs/double_output.md, "Record by record": how far a minimiser over W is from the exact one, at most."""
    box, size, diameter, (steep, bent, rounded) = domain
    steepest = slope + strength * diameter
    penalty = 128 * steepest / diameter
    steepest, curvature, vector = steepest + penalty * steep, curvature + penalty * bent, vector + 1.01 * penalty * rounded
    projection = 0.0 if box else (16 * fit.dimension + 128) * U * size
    checked = max(cut, (4 * projection + 64 * U * size) * steepest)
    solved = (2.0**-10 * slope / n + vector + 8 * U * (size + diameter) * steepest / diameter) / strength + math.sqrt((cut + checked) / strength)
    step = 2 * curvature + strength
    shift_ = projection + 8 * U * (size + steepest / step) + vector / step
    sure = 1.001 * (shift_ * (step + strength) / strength + math.sqrt(2 * cut / strength))
    distance = min(max(solved, sure), (slope + penalty * steep) / strength)
    if distance > max(2 * slope / (n * strength), 2.0**-12 * diameter):
        raise Refused("doubles are too coarse for the solver's distance")
    return distance


def limited_within(fit, n, slope, curvature, strength, domain):
    """The limited loss over W."""
    e0, e1 = gradient_error(fit, n, slope, curvature, strength)
    return distance_within(fit, n, slope, curvature, strength, domain, 1.01 * (e0 + e1 * (domain[1] + domain[2])) / n, 0.0)


def extension_within(fit, n, slope, strength, domain, bound):
    """The Lipschitz extension over W, record by record."""
    box, size, diameter, _ = domain
    curvature = max(strength * min(36 * n**2, 2**20), slope / diameter)
    margin = slope / curvature * (math.sqrt(fit.p) if box else 1.0)
    size, diameter = size + margin, diameter + 2 * margin
    steepest = max(bound, slope)
    ratio = steepest / slope
    steps = 64 * (fit.p + 24) * 2.0**-64
    pull = steps * steepest * ratio**2
    place = 2 * steps * ratio * (diameter + size) + 4 * U * size + 4 * 2.0**-56 * ratio * diameter
    cut = 2 * steepest * place + diameter * (16 * U * steepest + pull + 4 * 2.0**-56 * steepest)
    depth = 128 + 2 * (math.floor(math.log2(n)) + 1) + 32
    vector = 3 * gamma(depth) * steepest + 4 * pull + 16 * U * strength * (size + diameter)
    return distance_within(fit, n, slope, curvature, strength, domain, vector, cut)


def noisy_minimiser(fit, step, n, slope, strength, distance):
    kind = "gaussian" if fit.notion in ("gaussian", "approx") else "isotropic-laplace"
    expect(step, kind, kind, shift(fit) * slope / (n * strength), 2 * distance, "l2", fit.dimension)
    noise_cost(step)


def minimiser_noise(fit, step, n, strength, ball, center=0.0, slope=None):
    """docs/limited_output.md: one noisy minimiser."""
    limit, curvature, _, _ = fit.limits()
    slope = limit if slope is None else slope
    domain = domain_of(fit)
    distance = limited_within(fit, n, slope, curvature, strength, domain) if domain else solver_distance(fit, n, slope, curvature, strength, ball, 0.0, center)
    noisy_minimiser(fit, step, n, slope, strength, distance)
    fine_enough(step)
    return distance


def limited_output(fit, steps):
    epsilon, steps = chosen_sizes(fit, steps)
    step, = take(steps, 1, "limited-output")
    _, _, strength, radius = fit.limits()
    same(fit.option("projection_radius", 10 * radius), 10 * radius, "options.projection_radius")
    minimiser_noise(fit, step, fit.n, strength, 10 * radius)
    if fit.notion == "pure":
        share_of(step.event["epsilon"], epsilon, "the epsilon of the noise")


def double_output(fit, steps):
    epsilon, steps = chosen_sizes(fit, steps)
    two_minimisers(fit, take(steps, 2, "double-output"), fit.n, fit.option("regularisation"), epsilon)


def two_minimisers(fit, steps, n, strength, epsilon, center=0.0, slope=None):
    """docs/double_output.md."""
    limit, _, _, radius = fit.limits()
    slope = limit if slope is None else slope
    oracle = fit.text("oracle", ("limited", "extension", "structured", "subgradient")) if "oracle" in fit.options else "limited"
    domain = domain_of(fit, radius)
    bound = fit.option("gradient_bound", slope * max(1.0, math.sqrt(10 * fit.dimension / epsilon)))
    for step, accuracy in zip(steps, (1.0, 1 / 6)):
        share_of(step.event["epsilon"], epsilon / 2, "the epsilon of a release")
        if oracle == "limited":
            distance = minimiser_noise(fit, step, n, strength, radius, center, slope)
        else:
            distance = extension_within(fit, n, slope, strength, domain, bound) if oracle == "extension" else accuracy * slope / (n * strength)
            noisy_minimiser(fit, step, n, slope, strength, distance)
        if accuracy == 1.0 and "local_radius" in fit.options:
            reach = distance + step.scale * gamma_quantile(fit.dimension, 1 - math.exp(-3))
            same(fit.option("local_radius"), max(reach, 2.0**-30 * domain[1]), "options.local_radius", 1e-8)


def localized_blocks(fit):
    """Blocks of a phase: one, or enough for a stated probability of failure."""
    failure = fit.option("failure", 0.0)
    return math.ceil(12.5 * math.log(math.ceil(math.log2(fit.n)) / failure)) if failure else 1


def last_scale(fit, solver, n, strength, epsilon):
    """The noise of the last release of a block, which is all that files of version 1 have of it."""
    slope, curvature, _, radius = fit.limits()
    ball = radius if solver == "double-output" else 10 * radius
    if solver != "limited-objective":
        distance = solver_distance(fit, n, slope, curvature, strength, ball, 0.0, 10 * radius)
        return (shift(fit) * slope / (n * strength) + 2 * distance) / (epsilon / 2 if solver == "double-output" else epsilon)
    noise = shift(fit) * slope / (0.99 * epsilon - fit.outputs * math.log1p(curvature / (n * strength)))
    return 2 * solver_distance(fit, n, slope, curvature, strength, ball, power_of_two_above(noise * 2.0**-34), 10 * radius) / (0.01 * epsilon)


def localized(fit, steps):
    epsilon, steps = chosen_sizes(fit, steps)
    outer, = take(steps, 1, "localized")
    _, _, strength, radius = fit.limits()
    solver = fit.text("solver", ("limited-output", "limited-objective", "double-output", "net-exponential")) if "solver" in fit.options else "limited-output"
    phases, blocks = math.ceil(math.log2(fit.n)), localized_blocks(fit)
    sizes = [s for s in ((fit.n >> t) // blocks for t in range(1, phases + 1)) if s >= 1]
    if "net_points" in fit.options and solver != "net-exponential":
        raise Refused("options.net_points goes with nets")
    if solver == "net-exponential":
        sizes = sizes[:phases_on_nets(fit, sizes)]
    same(fit.option("blocks", blocks), blocks, "options.blocks")
    same(fit.option("phases", len(sizes)), len(sizes), "options.phases")
    expect(outer, "population-localisation", "pure", 0.0, 0.0, "l2", fit.dimension)
    share_of(outer.event["epsilon"], epsilon, "the epsilon of all blocks")
    if fit.version == 1:
        scale = last_scale(fit, solver, sizes[-1], strength * 32.0 ** (len(sizes) - 1), epsilon)
        if not scale * (1 - SAFE) <= outer.scale <= scale * (1 + LOOSE):
            raise Refused(f"the scale of the last block is {outer.scale!r}, expected {scale!r}")
        return
    is_text(outer.rule, "parallel", "the rule of the blocks")
    for t, (block, size) in enumerate(zip(take(outer.inner, len(sizes), "localized"), sizes)):
        formal(block, "block", "composed", "pure")
        is_text(block.times, blocks, "the number of blocks")
        there = strength * 32.0**t
        slope = slope_in_phase(fit, size, sizes[0])
        if solver == "limited-output":
            noisy, = take(block.inner, 1, solver)
            minimiser_noise(fit, noisy, size, there, 10 * radius, 10 * radius, slope)
            share_of(noisy.event["epsilon"], epsilon, "the epsilon of a block")
        elif solver == "limited-objective":
            objective_and_cover(fit, take(block.inner, 2, solver), size, there, epsilon, 10 * radius, slope)
        elif solver == "double-output":
            two_minimisers(fit, take(block.inner, 2, solver), size, there, epsilon, 10 * radius, slope)
        else:
            choice, = take(block.inner, 1, solver)
            net_choice(fit, choice, size, there, epsilon, min(slope / there, radius), 10 * radius, slope)
    last = outer.inner[-1].inner[-1]
    grid = last.grid
    if solver == "net-exponential":
        grid = finest_net(fit, min(slope / there, radius)) / 1024
    is_text((outer.scale, outer.grid), (last.scale, grid), "scale and grid of all blocks")


def slope_in_phase(fit, size, first):
    return fit.limits()[0] * ((size / first) ** (1 / fit.option("tails")) if "schedule" in fit.options else 1.0)


def phases_on_nets(fit, sizes):
    """docs/localized.md, "On nets": those before the first whose points doubles near a center could not tell apart."""
    _, _, strength, radius = fit.limits()
    for t, size in enumerate(sizes):
        reach = min(slope_in_phase(fit, size, sizes[0]) / (strength * 32.0**t), radius)
        if 10 * radius * (1 + gamma(fit.dimension + 8)) + reach > 2.0**52 * finest_net(fit, reach) / 1024:
            if t == 0:
                raise Refused("doubles are too coarse for the nets")
            return t
    return len(sizes)


def points_in_ball(radius, p):
    """How many whole points of p coordinates lie within the radius."""
    counts = {0: 1}
    for _ in range(p):
        fresh = {}
        for square, many in counts.items():
            for x in range(-int(radius), int(radius) + 1):
                if square + x * x <= radius * radius:
                    fresh[square + x * x] = fresh.get(square + x * x, 0) + many
        counts = fresh
    return sum(counts.values())


def finest_net(fit, radius):
    spacing = power_of_two_above(radius) * 2
    while (2 * math.floor(radius / (spacing / 2)) + 1) ** fit.dimension <= fit.option("net_points", 4096):
        spacing /= 2
    return spacing


def net_exponential(fit, steps):
    """docs/net_exponential.md."""
    epsilon, steps = chosen_sizes(fit, steps)
    step, = take(steps, 1, "net-exponential")
    _, _, strength, radius = fit.limits()
    spacing = finest_net(fit, radius)
    same(fit.option("net_spacing", spacing), spacing, "options.net_spacing")
    net_choice(fit, step, fit.n, strength, epsilon, radius)


def net_choice(fit, step, n, strength, epsilon, radius, center=0.0, slope=None):
    """A point of the net of a ball around 0, or around any center of at most that norm."""
    limit, curvature, _, _ = fit.limits()
    slope = limit if slope is None else slope
    p, spacing = fit.dimension, finest_net(fit, radius)
    smoothing = fit.text("smoothing", ("curvature", "ball")) if "smoothing" in fit.options else "curvature"
    if smoothing == "curvature":
        e0, e1 = gradient_error(fit, n, slope, curvature, strength)
        error, bend = e0 + e1 * (radius + (center + radius if center else 0.0)), curvature
    else:
        width = fit.option("smoothing_radius", spacing)
        error, bend = n * gamma(n + 2 * p + 32) * (slope + strength * radius), slope * math.sqrt(p) / width
    rate = 1 / (strength + bend)
    reach = radius + rate * (slope + strength * radius + error / n)
    e = 1.01 * error / n + 1.01 * gamma(4 * p + 40) * (2 * radius + reach) / rate
    if smoothing == "ball":
        e += shift(fit) / 2 * gamma(2 * p + 16) * slope / n
    expect(step, "exponential", "bounded-range", shift(fit) * slope / n, 2 * e, "linf", points_in_ball(radius / spacing, p))
    choice_cost(step, 1.01 * (slope + strength * radius + e))
    share_of(step.event["epsilon"], epsilon, "the epsilon of the choice")


def localized_exponential(fit, steps):
    """docs/localized_exponential.md."""
    epsilon, steps = chosen_sizes(fit, steps)
    first, second = take(steps, 2, "localized-exponential")
    slope, _, strength, radius = fit.limits()
    n, p = fit.n, fit.dimension
    distance = minimiser_noise(fit, first, n, strength, 10 * radius)
    share_of(first.event["epsilon"], epsilon / 2, "the epsilon of the first release")
    share_of(second.event["epsilon"], epsilon / 2, "the epsilon of the choice")
    r = min(2 * radius, first.scale * gamma_quantile(p, 0.95) + 2 * distance)
    m, e = math.frexp(r)
    r = math.ldexp(math.ceil(m * 256 * (1 - 1e-9)) / 256, e)
    same(fit.option("localisation_radius", r), r, "options.localisation_radius")
    side = fit.option("cell_side") if "cell_side" in fit.options else second.grid * 1024
    is_text(side, power_of_two_above(side), "options.cell_side")
    reach = r + side * math.sqrt(p) / 2
    anchor = 1.01 * radius + r / 1024
    span = 1.01 * (n * slope * reach + n * strength / 2 * reach * (2 * anchor + reach))
    depth = min(n, 1024) + math.ceil(math.log2(-(-n // 1024))) + fit.joining
    slack = 2 * gamma(depth) * n * slope * reach + 2 * U * span
    expect(second, "exponential-on-cells", "bounded-range", shift(fit) * slope * reach, slack, "linf", p)
    unit = math.ldexp(1.0, math.frexp(min(second.event["epsilon"], 1.0))[1] - 21)
    covers(second.event["epsilon"], 2 * ((second.moved + 2 * U * span) / second.scale + unit), "exponential-on-cells")
    is_text(second.grid, side / 1024, "the grid of the cells")


def posterior_exact(fit, steps):
    """docs/posterior_exact.md."""
    epsilon, steps = chosen_sizes(fit, steps)
    samples = int(fit.option("samples", 1))
    share = fit.option("localisation", 0.5 if fit.notion == "pure" else 0.0)
    if not 0 < fit.option("coverage", 0.99) < 1:
        raise Refused("options.coverage is no probability")
    found = 1 if share > 0 else 0
    take(steps, found + samples, "posterior-exact")
    if found:
        localisation(fit, steps[0], share, epsilon, 0.0)
    for step in steps[found:]:
        posterior_sample(fit, step, (1 - share) / samples, epsilon)


def localisation(fit, step, share, epsilon, room):
    """The first release of posterior samples, and the ball around it: what coverage asks for, and room for the posterior itself."""
    _, _, strength, radius = fit.limits()
    distance = minimiser_noise(fit, step, fit.n, strength, 10 * radius)
    budget_share(fit, step, share, epsilon)
    coverage = fit.option("coverage")
    if fit.notion == "pure":
        reach = gamma_quantile(fit.dimension, coverage)
    else:
        reach = math.sqrt(2 * gamma_quantile(mpmath.mpf(fit.dimension) / 2, coverage))
    same(fit.option("ball"), distance + step.scale * reach + room, "options.ball", 1e-7)


def budget_share(fit, step, share, epsilon):
    if fit.notion == "pure":
        share_of(step.event["epsilon"], share * epsilon, f"the epsilon of {step.mechanism}")
    else:
        share_of(step.event["mu"], math.sqrt(share) * fit.mu, f"the mu of {step.mechanism}")


def posterior_sample(fit, step, share, epsilon):
    slope, _, strength, _ = fit.limits()
    heat, pull = fit.option("inverse_temperature"), fit.n * strength
    expect(step, "posterior-sample", "bounded-range" if fit.notion == "pure" else "gaussian", shift(fit) * slope, 0.0, "l2", fit.dimension)
    same(fit.option("strength"), heat * pull, "options.strength")
    if not step.grid:
        raise Refused("a posterior sample has no grid")
    if fit.notion == "pure":
        needed = 2 * shift(fit) * slope * heat * fit.option("ball")
        covers(step.event["epsilon"], step.value / step.scale, "posterior-sample")
    else:
        needed = shift(fit) * slope * math.sqrt(heat / pull)
        covers(step.event["mu"], step.value / step.scale, "posterior-sample")
    covers(step.event["epsilon" if fit.notion == "pure" else "mu"], needed, "the posterior's temperature")
    budget_share(fit, step, share, epsilon)


MIXING = "mixing constant = 1 [Lin24, Thm 1], for chains computed in doubles"


def asap_mala(fit, steps):
    """docs/asap_mala.md."""
    epsilon, steps = chosen_sizes(fit, steps)
    samples = int(fit.option("samples"))
    take(steps, 1 + 2 * samples, "asap-mala")
    found, covered = fit.option("localisation"), fit.option("perturbation")
    slope, curvature, strength, radius = fit.limits()
    room = (math.sqrt(fit.dimension) + math.sqrt(2 * math.log(2))) / math.sqrt(fit.option("strength"))
    localisation(fit, steps[0], found, epsilon, room)
    smooth = fit.option("inverse_temperature") * fit.n * (strength + curvature)
    spread = 0.1 / math.sqrt(smooth * (fit.dimension + 1 if fit.notion == "pure" else 1))
    for i in range(samples):
        posterior_sample(fit, steps[1 + 2 * i], (1 - found - covered) / samples, epsilon)
        cover = steps[2 + 2 * i]
        expect(cover, fit.cover, "isotropic-laplace" if fit.notion == "pure" else "gaussian", 2 * fit.option("distance"), 0.0, "l2", fit.dimension)
        noise_cost(cover)
        same(cover.scale, spread, "the scale of the noise cover", 1e-7)
        budget_share(fit, cover, covered / samples, epsilon)
    same(fit.option("center_radius"), min(slope / strength, 10 * radius), "options.center_radius")


def chain_length(fit):
    """ln(beta/xi), kappa and M of docs/asap_mala.md, (1) and (2)."""
    slope, curvature, strength, radius = fit.limits()
    n, d, heat = fit.n, fit.dimension, fit.option("inverse_temperature")
    b, distance = fit.option("ball"), fit.option("distance")
    m, big = heat * n * strength, heat * n * (strength + curvature)
    kappa = big / m
    g = heat * n * (slope + strength * (fit.option("center_radius") + b))
    log_xi = -math.log(2) - 2 * b * g + d * math.log(distance / (2 * b))
    outward = g + (d - 1) / b
    log_r = 0.5 * math.log(2 * math.pi / m) + math.log(g + d / b) + outward**2 / (2 * m)
    log_q = -(log_r + math.log1p(math.exp(-log_r)) if log_r > 0 else math.log1p(math.exp(log_r)))
    start = d / 2 * math.log(2 * kappa) + big * solver_distance(fit, n, slope, curvature, strength, 10 * radius) ** 2
    return start + math.log(2) - log_q - log_xi, kappa, big


def chain_assumptions(fit):
    length, kappa, big = chain_length(fit)
    d = fit.dimension
    asked = math.ceil(length * max(kappa**1.5 * math.sqrt(length), d * kappa))
    stated = fit.option("chain_steps")
    if "mala_steps" in fit.options:
        length = min((stated / kappa**1.5) ** (2 / 3), stated / (d * kappa))
    same(fit.option("step_size"), min((kappa * length) ** -0.5, 1 / d) / big, "options.step_size", 1e-6)
    if "mala_steps" not in fit.options:
        if stated < asked * (1 - 1e-9):
            raise Refused(f"chains of {stated!r} steps, where the theorem asks for {asked!r}")
        return [MIXING]
    same(stated, fit.option("mala_steps"), "options.chain_steps")
    return [MIXING, f"{int(stated)} steps of a chain are enough where the theorem asks for {asked:.3g}"]


# ---------------------------------------------------------------------------------------------------------------------
# A private choice among settings: docs/tuned.md


def default_limits(fit):
    """docs/limited_objective.md, "The knobs": C and Q from the bounds."""
    a, y = fit.fact("row_norm_bound"), fit.label_bound
    width = fit.fact("loss_parameter", 0.0)
    slopes = {"logistic": 0.55, "hinge": 1.0, "smoothed-hinge": 1.0, "absolute": 1.0, "softmax": math.sqrt(2), "squared": 0.22 * y,
              "huber": 0.22 * y, "pinball": max(width, 1 - width), "poisson": 1.1 * y}
    bends = {"logistic": 0.25, "hinge": 2.0, "smoothed-hinge": 1 / (width or 1.0), "absolute": 4 / y, "softmax": 0.5, "squared": 1.0,
             "huber": 1.0, "pinball": 4 / y, "poisson": y}
    return slopes[fit.loss] * a, bends[fit.loss] * a * a


def default_regularisation(method, fit, slope, curvature, radius, epsilon):
    n, d = fit.n, fit.dimension
    rule = slope / radius * math.sqrt(d / (n * epsilon))
    if method == "limited-objective":
        return max(curvature / (n * math.expm1(0.3 * epsilon / fit.outputs)), shift(fit) * slope * d / (n * epsilon * radius))
    if method == "double-output":
        return slope / radius * math.sqrt(2 * d / (n * epsilon))
    if method == "localized":
        block = Fit({**fit.options}, {**fit.public, "records": (n // 2) // localized_blocks(fit)}, "pure", fit.relation, fit.version)
        return default_regularisation(fit.options.get("solver", "limited-output"), block, slope, curvature, radius, epsilon)
    if method == "localized-exponential":
        return 4 * shift(fit) * slope / radius * math.sqrt(d * gamma_quantile(d, 0.95)) / (n * epsilon)
    return rule


TUNABLE = {"limited-objective": limited_objective, "limited-output": limited_output, "double-output": double_output, "localized": localized,
           "net-exponential": net_exponential, "localized-exponential": localized_exponential}


def tuned(fit, steps):
    outer, = take(steps, 1, "tuned")
    expect(outer, "private-tuning", "pure", 0.0, 0.0, "l2")
    share_of(outer.event["epsilon"], fit.epsilon, "the epsilon of the choice")
    runs = fit.option("mean_runs")
    if runs > 1:
        g = outer.scale
        same((1 / g - 1) / math.log(1 / g), runs, "the mean number of runs", 1e-6)
    settings = [s.strip() for s in fit.options["settings"].split(";")]
    if not 0 <= fit.option("chosen") < len(settings):
        raise Refused("options.chosen is none of the settings")
    held = fit.whole("records_held_out")
    if held != math.floor(fit.option("validation") * (held + fit.n) * (1 + 1e-12)):
        raise Refused("assumed_public.records_held_out is not the share that options.validation states")
    if fit.version == 1:
        is_text(outer.dimension, fit.dimension, "the dimension of the choice")
        return
    candidate, = take(outer.inner, 1, "tuned")
    is_text(outer.rule, "repeat-and-select", "the rule of the runs")
    formal(candidate, "candidate", "parallel", "pure")
    one, score = take(candidate.inner, 2, "a candidate")
    formal(one, "fit-one-setting", "one-of", "pure")
    expect(score, "laplace", "laplace", shift(fit) / (2 * held), 2 * gamma(2 * held + 4), "l1", 1)
    noise_cost(score)
    fine_enough(score)
    grids = [one_setting(fit, setting, step) for setting, step in zip(settings, take(one.inner, len(settings), "tuned"))]
    is_text((outer.grid, outer.dimension), (min(grids), fit.dimension), "grid and dimension of the choice")


def one_setting(fit, setting, step):
    """Checks the steps of one setting; the grid of what it would release."""
    method, _, rest = setting.partition(":")
    formal(step, method, "composed", "pure")
    options = {"epsilon": fit.epsilon / 2, "radius": 10.0}
    for pair in filter(None, (p.strip() for p in rest.split(","))):
        name, _, value = pair.partition("=")
        try:
            options[name.replace("-", "_")] = float(value)
        except ValueError:
            options[name.replace("-", "_")] = value
    if method == "asap-mala":
        raise Refused("a setting rests on an assumption, which the fit does not state")
    if method not in TUNABLE:  # its limits are not stated: what its steps say of themselves is all there is to check
        for each in step.inner:
            own_cost(each)
        return step.inner[-1].grid
    fresh = Fit(options, fit.public, "pure", fit.relation, fit.version)
    slope, curvature = default_limits(fresh)
    options.setdefault("slope_limit", slope)
    options.setdefault("curvature_limit", curvature)
    options.setdefault("regularisation", default_regularisation(
        method, fresh, options["slope_limit"], options["curvature_limit"], options["radius"], options["epsilon"]))
    TUNABLE[method](fresh, step.inner)
    return finest_net(fresh, options["radius"]) if method == "net-exponential" else step.inner[-1].grid


def own_cost(step):
    if step.kind in ("laplace", "isotropic-laplace", "gaussian"):
        noise_cost(step)
    elif step.mechanism == "exponential":
        choice_cost(step)
    for each in step.inner:
        own_cost(each)


# ---------------------------------------------------------------------------------------------------------------------
# Clipped sums: docs/dp_sgd.md, docs/dp_gd.md, docs/user_sgd.md, docs/user_group.md


def sum_rounding(count, length, joining=0):
    """Twice the rounding of a sum of so many contributions of this length."""
    return 2 * gamma(133 + 2 * math.floor(math.log2(-(-count // 128))) + joining) * count * length


def clipped_batches(fit, step, count, hidden, mechanism="poisson-gaussian", kind="poisson-gaussian"):
    """Poisson batches of clipped contributions."""
    batch, length = fit.option("batch"), fit.option("step") / fit.option("batch")
    expect(step, mechanism, kind, length, sum_rounding(2**32 - 1 if hidden else count, length, fit.joining), "l2")
    event = {"kind": "poisson-gaussian", "noise_multiplier": fit.option("noise_multiplier"), "rate": batch / count}
    if not 0 < event["rate"] <= 1:
        raise Refused("a batch is larger than all records")
    event["steps"] = math.ceil(fit.option("epochs") / event["rate"] * (1 - 1e-14))
    if step.scale < event["noise_multiplier"] * step.moved * (1 - SAFE) or step.scale > event["noise_multiplier"] * step.moved * (1 + LOOSE):
        raise Refused("the noise's scale is not its multiplier times the sensitivity")
    fine_enough(step)
    return event


def poisson_event(step, event):
    is_text(step.event["steps"], event["steps"], "the number of steps")
    same(step.event["rate"], event["rate"], "the rate")
    same(step.event["noise_multiplier"], event["noise_multiplier"], "the noise multiplier")


def dp_sgd(fit, steps):
    if fit.options.get("clip_norm") == "private-min":
        choice, step = take(steps, 2, "dp-sgd")
        expect(choice, "exponential", "bounded-range", 1.0, 0.0, "linf", 241)
        same(choice.event["epsilon"], fit.option("clip_share") * fit.epsilon, "the epsilon of the clip norm")
        choice_cost(choice, fit.n)
    else:
        step, = take(steps, 1, "dp-sgd")
    event = clipped_batches(fit, step, fit.n, fit.relation == "add_remove")
    poisson_event(step, event)
    theorem_of(fit, event, step.dimension)


def theorem_of(fit, event, dimension):
    """docs/clipping.md, "phi, and schedules from theorems": clip norm, step and the bound on the risk."""
    theorem, iterate = fit.options.get("schedule"), fit.options.get("iterate")
    if theorem is None:
        if "risk_bound" in fit.options:
            raise Refused("a bound on the risk, but no schedule that has one")
        return
    steps, k, moment = event["steps"], fit.option("moment_order", 2), fit.option("moment", 1)
    squared_phi = dimension * event["noise_multiplier"] ** 2 / (fit.option("batch") ** 2 * steps)
    root, gamma = math.sqrt(1 / steps + squared_phi), fit.option("failure", 0.25)
    likely = moment * gamma ** (-1 / k)
    distance = 2 * fit.option("radius") if theorem == "constrained" else fit.option("distance", 1)
    step = distance / (steps * root)
    if theorem == "interpolation":
        clip, bound = moment, 1.5 * distance * moment * root
    elif theorem == "constrained":
        clip, bound = likely * root ** (-1 / k), 2.5 * distance * likely * root ** (1 - 1 / k)
    elif theorem == "unconstrained":
        e = 1 - 2 / (k + 1)
        clip, bound = likely * root ** (-2 / (k + 1)), likely * distance * (2.5 * root**e + 2 * root ** (2 * e))
    elif theorem == "growth":
        clip = moment * root ** (-1 / k)
        bound = moment * (3 * distance * root ** (1 - 1 / k) + 16 * fit.option("growth_radius", 1) * squared_phi ** ((1 - 1 / k) / 2))
    elif theorem == "nonconvex":
        smooth, gap = fit.option("smoothness", 1), fit.option("gap", 1)
        size = math.sqrt(smooth * gap)
        clip = (moment ** (2 * k) * gamma**-2 / (size * root)) ** (1 / (2 * k - 1))
        step, bound = math.sqrt(gap / smooth) / (steps * root), 5 * size * clip * root
    else:
        raise Refused(f"the schedule {theorem!r} is unknown")
    same(float(fit.options["clip_norm"]), clip, "the schedule's clip norm", 1e-9)
    same(fit.option("step"), step, "the schedule's step", 1e-9)
    if iterate == "last" or (theorem == "nonconvex" and iterate != "random"):
        if "risk_bound" in fit.options:
            raise Refused("a bound on the risk of an iterate that the theorem does not speak of")
        return
    same(fit.option("risk_bound"), bound if iterate == "random" else 2 * bound, "options.risk_bound", 1e-9)


def user_sgd(fit, steps):
    step, = take(steps, 1, "user-sgd")
    poisson_event(step, clipped_batches(fit, step, people(fit), fit.relation == "add_remove"))


def people(fit):
    """The public number of users; the number of records is theirs times the cap."""
    users, cap = fit.whole("users"), fit.whole("records_per_user")
    is_text(fit.option("records_per_user"), cap, "options.records_per_user")
    is_text(fit.n, users * cap, "the number of records")
    return users


def user_group(fit, steps):
    outer, = take(steps, 1, "user-group")
    cap = people(fit) and fit.whole("records_per_user")
    hidden = fit.relation == "add_remove"
    event = clipped_batches(fit, outer, fit.n, hidden, "group-of-records", "approx")
    covers(outer.event["epsilon"], fit.epsilon, "group-of-records")
    covers(outer.event["delta"], fit.delta, "group-of-records")
    if not group_covers(outer.event, [(event, 1)], cap):
        raise Refused("the noise does not hide all records of a user")
    if fit.version > 1:
        is_text((outer.rule, outer.nesting.get("records")), ("group", cap), "the group")
        inner, = take(outer.inner, 1, "user-group")
        poisson_event(inner, clipped_batches(fit, inner, fit.n, hidden))
        is_text((inner.scale, inner.grid, inner.dimension), (outer.scale, outer.grid, outer.dimension), "what is within the group")


def dp_gd(fit, steps):
    step, = take(steps, 1, "dp-gd")
    length = fit.option("step") / fit.n
    expect(step, "gaussian-steps", "gaussian", (2 if fit.relation == "replace_one" else 1) * length, sum_rounding(2**32 - 1 if fit.relation == "add_remove" else fit.n, length, fit.joining), "l2")
    same(step.scale, fit.option("noise"), "the noise's scale")
    fine_enough(step)
    noise_cost(step, int(fit.option("steps")))


# ---------------------------------------------------------------------------------------------------------------------
# Nonsmooth, nonconvex losses: docs/o2nc.md


def longest_estimate(fit, d):
    """What an estimate can have in norm at most, in units of L: directions are orthogonal within groups of at most 64."""
    if fit.options["bound"] == "worst":
        return float(d)
    m, group = int(fit.option("directions")), min(d, 64)
    return d / m * (m // group * math.sqrt(group) + math.sqrt(m % group))


def change_limit(fit, d):
    """kappa: how much the smoothed gradient, or its estimate, can change over two steps."""
    steepest = fit.option("lipschitz")
    if fit.options["bound"] != "smoothed":
        return steepest * longest_estimate(fit, d) * min(2.0, 2 * fit.option("step_cap") / fit.option("smoothing"))
    x = 1 - (2 * fit.option("step_cap") / (2 * fit.option("smoothing"))) ** 2
    overlap = float(mpmath.betainc(mpmath.mpf(d + 1) / 2, mpmath.mpf(1) / 2, 0, x, regularized=True)) if x > 0 else 0.0
    return 2 * steepest * (1 - overlap)


def o2nc_plan(fit, steps):
    total, period = int(fit.option("steps")), int(fit.option("period"))
    if not all(fit.option(name) > 0 for name in ("lipschitz", "smoothing", "step_cap", "step_size")):
        raise Refused("a size of the run is not positive")
    if not 1 <= period <= total or not 1 <= fit.option("averaging") <= total:
        raise Refused("options.period or options.averaging is not within the run")
    if fit.options.get("schedule") == "theorem" and (
            total % fit.option("averaging") or fit.option("averaging") * fit.option("step_cap") > fit.option("smoothing") * (1 + 1e-9)):
        raise Refused("the theorem's blocks do not divide the steps, or leave the ball")
    fresh = -(-total // period)
    d = steps[-1].dimension if steps else 0
    for step in steps:
        is_text((step.dimension, step.grid), (d, power_of_two_above(fit.option("step_cap") * 2.0**-20)), f"dimension and grid of {step.mechanism}")
    if fit.option("directions") < 1:
        raise Refused("options.directions is not positive")
    smoothed = fit.text("bound", ("smoothed", "worst", "frame")) == "smoothed"
    return fresh, total - fresh, period, d, fit.option("lipschitz") * (1 if smoothed else longest_estimate(fit, d))


def prefix_column(kind, length):
    """docs/mechanisms.md: the norm of a column, and the mean variance of the sums of a period, in units of one release."""
    if kind == "tree":
        return math.sqrt(math.floor(math.log2(length)) + 1), sum(t.bit_count() for t in range(1, length + 1)) / length
    f, squares, variances = 1.0, 0.0, 0.0
    for k in range(length):
        squares += f * f
        variances += squares
        f *= 1 - 1 / (2 * (k + 1))
    return math.sqrt(squares), variances / length


def pass_batches(fit, steepest, fresh, period, d):
    """Records of a fresh gradient and of a change: a period has its share of all, divided so that the noise is least."""
    share = fit.n // fresh
    if period == 1:
        return share, 0
    column, variance = prefix_column(fit.text("prefix_sums", ("square-root", "tree")), period - 1)
    ratio = (steepest**2 * (period - 1) / ((change_limit(fit, d) * column) ** 2 * variance)) ** (1 / 3)
    change = math.floor(share / (ratio + period - 1) * (1 + 1e-12))
    return share - (period - 1) * change, change


def o2nc_one_pass(fit, steps):
    outer, = take(steps, 1, "o2nc-single")
    fresh, changes, period, d, steepest = o2nc_plan(fit, steps)
    first, later = pass_batches(fit, steepest, fresh, period, d)
    if min(first, later if changes else first) < 1 or first * fresh + later * changes > fit.n:
        raise Refused(f"one pass uses more records than the {fit.n} that there are")
    expect(outer, "o2nc-single-pass", "gaussian", shift(fit) * steepest / first, sum_rounding(first, steepest / first, fit.joining), "l2")
    noise_cost(outer)
    if fit.version == 1:
        return
    is_text(outer.rule, "parallel", "the rule of one pass")
    take(outer.inner, 2 if changes else 1, "o2nc-single")
    gradients = outer.inner[0]
    expect(gradients, "gaussian", "gaussian", outer.value, outer.slack, "l2", d)
    noise_cost(gradients)
    fine_enough(gradients)
    is_text(gradients.times, fresh, "the number of fresh gradients")
    if changes:
        alone = (fresh + changes) % period == 1  # the last period is a fresh gradient and nothing else
        prefix_sums(fit, outer.inner[1], steepest, period - 1, d, fresh - alone, later)


def prefix_sums(fit, step, steepest, length, d, periods, batch):
    """docs/mechanisms.md: the changes of a period."""
    kind, kappa = fit.options["prefix_sums"], change_limit(fit, d)
    column, _ = prefix_column(kind, length)
    grid = power_of_two_above(kappa * length * 2.0**-49 * (1 + 1e-12))
    slack = column * (sum_rounding(batch, kappa / batch, fit.joining) + grid * math.sqrt(d))
    if kind == "square-root":
        slack += 8 * length * gamma(length + 2) * kappa * math.sqrt(d)
    expect(step, f"prefix-sums-{kind}", "gaussian", shift(fit) * kappa * column / batch, slack, "l2", d * length)
    noise_cost(step)
    fine_enough(step)
    is_text(step.times, periods, "the number of periods")


def o2nc_multi(fit, steps):
    outer, = take(steps, 1, "o2nc-multi")
    fresh, changes, period, d, steepest = o2nc_plan(fit, steps)
    n = fit.n
    expect(outer, "o2nc-multi-pass", "gaussian", shift(fit) * steepest / n, sum_rounding(n, steepest / n, fit.joining), "l2")
    ratio = noise_ratio(fit, steepest, fresh, changes, period, d)
    mu = outer.moved / outer.scale
    covers(outer.event["mu"], mu * math.sqrt(fresh + (changes / ratio**2 if changes else 0)), "o2nc-multi-pass")
    if fit.version == 1:
        return
    is_text(outer.rule, "composed", "the rule of all steps")
    take(outer.inner, 2 if changes else 1, "o2nc-multi")
    is_text(outer.scale, outer.inner[0].scale, "the scale of all steps")
    for step, times, size in zip(outer.inner, (fresh, changes), (steepest, 1.0)):
        expect(step, "gaussian", "gaussian", shift(fit) * size / n, sum_rounding(n, size / n, fit.joining), "l2", d)
        noise_cost(step)
        fine_enough(step)
        is_text(step.times, times, "the number of releases")
    needed = math.sqrt(sum(s.times * s.event["mu"] ** 2 for s in outer.inner))
    covers(outer.event["mu"], needed, "o2nc-multi-pass")
    if changes:
        same(outer.inner[0].event["mu"] / outer.inner[1].event["mu"], ratio, "how the budget is divided", 1e-12)


def noise_ratio(fit, steepest, fresh, changes, period, d):
    """mu of a fresh gradient over mu of a change: the mean noise over a period is then least."""
    if not changes:
        return 1.0
    gradients, moved = steepest * math.sqrt(fresh), change_limit(fit, d) * math.sqrt(changes * (period - 1) / 2)
    share = min(max(gradients / (gradients + moved), 0.02), 0.98)
    return math.sqrt(share * changes / ((1 - share) * fresh))


def o2nc_sampled(fit, steps):
    fresh, changes, period, d, steepest = o2nc_plan(fit, steps)
    take(steps, 2 if changes else 1, "o2nc-sampled")
    batch = fit.option("batch")
    same(steps[0].event.get("noise_multiplier", 0.0), fit.option("noise_multiplier"), "the noise multiplier")
    if changes:
        ratio = noise_ratio(fit, steepest, fresh, changes, period, d)
        same(steps[1].event.get("noise_multiplier", 0.0), ratio * fit.option("noise_multiplier"), "the noise multiplier of changes", 1e-8)
    for step, times, size, name in zip(steps, (fresh, changes), (steepest, 1.0), ("gradients", "changes")):
        expect(step, f"o2nc-sampled-{name}", "poisson-gaussian", size / batch, sum_rounding(fit.n, size / batch, fit.joining), "l2")
        same(step.event["rate"], batch / fit.n, "the rate")
        is_text(step.event["steps"], times, "the number of steps")
        covers(1 / step.event["noise_multiplier"], step.moved / step.scale, step.mechanism)
        if fit.version > 1:
            inner, = take(step.inner, 1, "o2nc-sampled")
            is_text((step.rule, inner.mechanism, inner.event), ("composed", "poisson-gaussian", step.event), "what is within a step")
            is_text((inner.value, inner.slack, inner.scale, inner.dimension), (step.value, step.slack, step.scale, d), "what is within a step")
            is_text(inner.grid, lattice(inner.scale), "the grid of a sum")


# ---------------------------------------------------------------------------------------------------------------------
# Outlying users removed: docs/outliers.md, docs/user_phased.md, docs/user_erm.md


def phase_sizes(users, phases):
    sizes = [users >> (i + 1) for i in range(phases - 1)]
    return sizes + [sizes[-1] if sizes else users]


def pairs_moved(step, mechanism, kind, norm, most, dimension=1):
    """C of a test about pairs, from its sensitivity 2(C - 1)."""
    points = round(step.value / 2) + 1
    if not 2 <= points <= most:
        raise Refused(f"{points} points of {most} users are compared")
    expect(step, mechanism, kind, 2 * (points - 1), 0.0, norm, dimension)
    if dimension == 1:
        fine_enough(step)
    return points


def inlier_mean(fit, step, mechanism, points, tau, bound, floor, times=1):
    """The mean of inliers at a given tau: floor is the least number of pairs that pass the test."""
    expect(step, mechanism, "gaussian", mean_moved(fit, points, tau, floor / points**2), 2 * gamma(points + 4) * 1.0001 * bound, "l2", fit.dimension)
    noise_cost(step, times)


def mean_moved(fit, points, tau, rho):
    """docs/outliers.md, Theorem 2 and "In floating point"."""
    if rho < 2 / 3 + (1 if points % 2 == 0 else 1.5) / points:
        raise Refused("the floor of close pairs is below what Theorem 2 needs")
    return 4 * (7 - 6 * rho) * tau * (1 + 12 * gamma(fit.dimension + 16)) / (rho * points)


def laplace_floor(fit, test, points, delta):
    """Pairs that a Laplace test guarantees."""
    return fit.option("core") * points**2 + test.scale * math.log(1 / (2 * delta)) * 1e-9 - test.grid / 2


def per_phase(fit, steps, i):
    """The steps of phase i; a file of version 1 has those of the last one alone."""
    if fit.version == 1:
        return steps
    for step in steps:
        is_text(step.rule, "parallel", f"the rule of {step.mechanism}")
    return [step.inner[i] for step in steps]


def phases_of(fit, steps):
    phases = int(fit.option("phases"))
    if not 1 <= phases <= 20:
        raise Refused("options.phases is not from 1 to 20")
    if fit.version > 1:
        for step in steps:
            take(step.inner, phases, f"each phase of {step.mechanism}")
    if not 0 <= fit.option("phases_passed") <= phases:
        raise Refused("options.phases_passed is none of the phases")
    sizes = phase_sizes(people(fit), phases)
    return [(i, sizes[i]) for i in range(phases)] if fit.version > 1 else [(phases - 1, sizes[-1])]


def given_spread(fit):
    spread = fit.options.get("spread")
    if spread == "auto":
        return None
    try:
        return float(spread)
    except (TypeError, ValueError) as error:
        raise Refused("options.spread is neither auto nor a number") from error


def user_phased(fit, steps):
    take(steps, 3, "user-phased")
    spread = given_spread(fit)
    epsilon, delta = fit.option("test_share") * fit.epsilon, fit.option("failure_share") * fit.delta
    for i, users in phases_of(fit, steps):
        asked, failed, released = per_phase(fit, steps, i)
        formal(failed, "stability-failure", None, "failure")
        covers(failed.event["delta"], delta, "stability-failure")
        if spread is None:
            phase_with_choice(fit, asked, released, users, min(1.5 * epsilon, 0.95 * fit.epsilon), delta)
        else:
            phase_with_test(fit, asked, released, i, users, spread, epsilon, delta)
    outer_is_last(fit, steps)


def outer_is_last(fit, steps):
    """What stands outside is the last phase's, on the finest grid."""
    if fit.version > 1:
        for step in steps:
            last, grid = step.inner[-1], min(each.grid for each in step.inner)
            is_text((step.mechanism, step.kind, step.value, step.slack, step.scale, step.grid, step.dimension),
                    (last.mechanism, last.kind, last.value, last.slack, last.scale, grid, last.dimension), f"{step.mechanism} of all phases")


def phase_with_choice(fit, asked, released, users, epsilon, delta):
    points = pairs_moved(asked, "exponential", "bounded-range", "linf", users, 65)
    grouped(fit, points)
    same(asked.event["epsilon"], epsilon, "the epsilon of the choice of tau")
    choice_cost(asked, points**2)
    mean_moved(fit, points, 1.0, fit.option("core"))
    margin = asked.scale * math.log(65 / delta) * (1 + 1e-9)
    target = math.ceil(fit.option("core") * points**2 + margin)
    if target > points**2:
        raise Refused("so few groups cannot pass the test")
    scaled_steps(fit, released, 1, points, fit.option("radius"), target - margin)


def grouped(fit, points):
    if points % 2 or points != fit.option("groups", points):
        raise Refused("the number of groups is odd, or not the one that options.groups states")


def scaled_steps(fit, step, times, points, bound, floor=None):
    """Releases in units of their own sensitivity, which is least at the least tau of the grid."""
    expect(step, "scaled-gaussian-steps", "gaussian", 1.0, 0.0, "l2", fit.dimension)
    noise_cost(step, times)
    longest = 1.0001 * bound
    least = math.ldexp(1.0, math.frexp(2.001 * longest)[1] - 16)
    rho = floor / points**2 if floor else fit.option("core")
    moved = mean_moved(fit, points, least, rho) + 2 * gamma(points + 4) * longest
    is_text(step.grid, lattice(step.scale * moved, 2 * longest), "the grid of scaled releases")
    each_of(fit, step, times)


def each_of(fit, step, times):
    if fit.version > 1:
        inner, = take(step.inner, 1, step.mechanism)
        is_text((step.rule, inner.mechanism, inner.times), ("composed", "gaussian", times), f"what is within {step.mechanism}")
        expect(inner, "gaussian", "gaussian", step.value, step.slack, step.norm, step.dimension)
        is_text((inner.scale, inner.grid), (step.scale, step.grid), f"what is within {step.mechanism}")
        noise_cost(inner)


def phase_with_test(fit, asked, released, i, users, spread, epsilon, delta):
    points = pairs_moved(asked, "laplace", "laplace", "l1", users)
    grouped(fit, points)
    same(asked.event["epsilon"], epsilon, "the epsilon of the test")
    noise_cost(asked)
    cap, radius, rho = fit.whole("records_per_user"), fit.option("radius"), fit.option("core")
    longest = users // points * cap
    if "step" in fit.options:
        rate = fit.option("step")
    else:
        k = 4 * (7 - 6 * rho) / rho * spread / released.event["mu"]
        rate = radius / math.sqrt(longest * (1 + k * math.sqrt(released.dimension * longest) / points))
    tau = spread * rate / 4.0**i * math.sqrt(longest)
    inlier_mean(fit, released, "gaussian", points, tau, radius, laplace_floor(fit, asked, points, delta))


def user_erm(fit, steps):
    spread = given_spread(fit)
    if fit.text("sampling", ("all", "sample")) == "sample":
        user_erm_sampled(fit, steps, spread)
    elif spread is None:
        user_erm_chosen(fit, steps)
    else:
        user_erm_tested(fit, steps, spread)


def user_erm_tested(fit, steps, spread):
    take(steps, 3, "user-erm")
    epsilon, delta = fit.option("test_share") * fit.epsilon, fit.option("failure_share") * fit.delta
    rounds = int(fit.option("iterations"))
    for i, users in phases_of(fit, steps):
        asked, failed, released = per_phase(fit, steps, i)
        points = pairs_moved(asked, "above-threshold", "pure", "l1", users)
        same(asked.event["epsilon"], epsilon, "the epsilon of the tests")
        covers(asked.event["epsilon"], 2 * math.ceil(asked.moved / asked.grid) * asked.grid / asked.scale, "above-threshold")
        formal(failed, "stability-failure", None, "failure")
        covers(failed.event["delta"], delta, "stability-failure")
        tail = math.log(2 * rounds / (3 * delta))
        floor = fit.option("core") * points**2 + 4 * asked.value / epsilon * tail * (1 + 1e-6) - 2 * asked.scale * tail - asked.grid
        tau = spread / math.sqrt(fit.whole("records_per_user"))
        inlier_mean(fit, released, "gaussian-steps", points, tau, 1.0, floor, rounds)
    outer_is_last(fit, steps)


def user_erm_chosen(fit, steps):
    take(steps, 4, "user-erm")
    delta, rounds = fit.option("failure_share") * fit.delta, int(fit.option("iterations"))
    tests = rounds + rounds // 5 + 2
    for i, users in phases_of(fit, steps):
        choice, asked, failed, released = per_phase(fit, steps, i)
        points = pairs_moved(choice, "exponential", "bounded-range", "linf", users, 65)
        same(choice.event["epsilon"], fit.option("test_share") / 3 * fit.epsilon, "the epsilon of the choice of tau")
        choice_cost(choice, points**2)
        expect(asked, "gaussian-tests", "gaussian", 2 * (points - 1), 0.0, "l1", 1)
        noise_cost(asked, tests)
        fine_enough(asked)
        each_of(fit, asked, tests)
        formal(failed, "stability-failure", None, "failure")
        covers(failed.event["delta"], delta, "stability-failure")
        enough_pairs(fit, asked, points, delta / tests)
        same(asked.event["mu"], math.sqrt(fit.option("test_share")) * plain_mu(fit.epsilon, fit.delta), "the mu of the tests", 1e-8)
        scaled_steps(fit, released, rounds, points, 1.0)
    outer_is_last(fit, steps)


def enough_pairs(fit, test, points, delta):
    if fit.option("core") * points**2 + test.scale * quantile(delta) + test.grid / 2 > points**2:
        raise Refused("so few users cannot pass the test")


def plain_mu(epsilon, delta):
    """Of the Gaussian mechanism that just keeps (epsilon, delta)."""
    return bisect(lambda mu: delta - gaussian_delta(epsilon, mu), 1e-9, 100.0)


def quantile(delta):
    """Of the standard normal law, from above."""
    return bisect(lambda x: normal_tail(x) - delta, 0.0, 40.0)


def user_erm_sampled(fit, steps, spread):
    """Every step on a random sample of K users of the phase."""
    rounds, size = int(fit.option("iterations")), int(fit.option("batch"))
    first = 0 if spread is not None else 1
    take(steps, rounds if spread is not None else 1 + rounds + rounds // 5 + 2, "user-erm")
    for number_of, step in enumerate(steps):
        for i, users in phases_of(fit, [step]):
            one, = per_phase(fit, [step], i)
            is_text((one.mechanism, one.kind), ("sampled-inlier-mean", "approx"), "a step on a sample")
            rate = size / users
            if fit.version == 1:
                sampled_step_of_version_1(fit, one, rate, size, spread)
                continue
            is_text(one.rule, "sampled", "the rule of a step on a sample")
            same(one.nesting["rate"], rate, "the share of the users")
            last = steps[-1].inner[i].inner[0].inner[-1]
            is_text((one.value, one.slack, one.scale, one.grid, one.dimension), (last.value, last.slack, last.scale, last.grid, last.dimension),
                    "the mean on a sample")
            is_text((step.value, step.slack, step.scale, step.grid, step.dimension),
                    tuple(getattr(step.inner[-1], name) for name in ("value", "slack", "scale", "grid", "dimension")), "the mean on a sample")
            whole, = take(one.inner, 1, "a sample")
            formal(whole, "on-a-sample", "composed", "approx")
            is_text(whole.event, steps[-1].inner[i].inner[0].event, "the cost of a sample")
            same(one.event["epsilon"], math.log1p(rate * math.expm1(whole.event["epsilon"])), "the amplified epsilon")
            same(one.event["delta"], rate * whole.event["delta"], "the amplified delta")
            on_a_sample(fit, whole, size, spread, number_of < first)


def sampled_step_of_version_1(fit, step, rate, size, spread):
    """The steps within are not recorded: they are what the shares say."""
    if spread is None:
        raise Refused("a file of version 1 does not record the steps on samples with a chosen tau")
    epsilon = math.log1p(math.expm1(step.event["epsilon"]) / rate)
    delta = step.event["delta"] / rate
    inside = [({"kind": "laplace", "epsilon": fit.option("test_share") * epsilon}, 1),
              ({"kind": "failure", "delta": fit.option("failure_share") * delta}, 1), ({"kind": "gaussian", "mu": step.moved / step.scale}, 1)]
    bounded(epsilon, inside, delta, "a step on a sample")
    tau, scale = spread / math.sqrt(fit.whole("records_per_user")), 2 * (size - 1) / (fit.option("test_share") * epsilon)
    rho = fit.option("core") + (scale * math.log(1 / (2 * inside[1][0]["delta"])) * 1e-9 - lattice(scale, size**2) / 2) / size**2
    same(step.value, mean_moved(fit, size, tau, rho), "the sensitivity on a sample", 1e-9)
    same(step.slack, 2 * gamma(size + 4) * 1.0001, "the slack on a sample")


def on_a_sample(fit, whole, size, spread, choosing):
    epsilon, delta = whole.event["epsilon"], whole.event["delta"]
    if choosing:
        choice, = take(whole.inner, 1, "the choice of tau")
        is_text(pairs_moved(choice, "exponential", "bounded-range", "linf", size, 65), size, "the size of a sample")
        choice_cost(choice, size**2)
        return
    asked, failed, released = take(whole.inner, 3, "a step on a sample")
    formal(failed, "stability-failure", None, "failure")
    share = fit.option("failure_share") * delta
    covers(failed.event["delta"], share, "stability-failure")
    if spread is None:
        expect(asked, "gaussian-tests", "gaussian", 2 * (size - 1), 0.0, "l1", 1)
        noise_cost(asked)
        fine_enough(asked)
        each_of(fit, asked, 1)
        enough_pairs(fit, asked, size, share)
        same(asked.event["mu"], math.sqrt(fit.option("test_share")) * plain_mu(epsilon, delta), "the mu of a test", 1e-8)
        scaled_steps(fit, released, 1, size, 1.0)
    else:
        expect(asked, "laplace", "laplace", 2 * (size - 1), 0.0, "l1", 1)
        fine_enough(asked)
        same(asked.event["epsilon"], fit.option("test_share") * epsilon, "the epsilon of a test")
        noise_cost(asked)
        tau = spread / math.sqrt(fit.whole("records_per_user"))
        inlier_mean(fit, released, "gaussian", size, tau, 1.0, laplace_floor(fit, asked, size, share))


# ---------------------------------------------------------------------------------------------------------------------
# The certificate as a whole

ALL, THERE = ("replace_one", "zero_out", "add_remove"), ("zero_out", "add_remove")
REPLACE = ("replace_one",)
LIMITED = ("slope_limit", "curvature_limit", "regularisation", "radius")
CHOSEN = ("limits", "limit_share", "column_share", "feature_exponents", "label_offset", "label_scale", "moment_order", "label_bound")
CLIPPED = ("neighbours", "clip_norm", "epochs", "batch", "step", "iterate", "radius", "seed", "noise_multiplier")
O2NC = ("lipschitz", "smoothing", "steps", "step_cap", "step_size", "averaging", "period", "directions", "output", "seed", "estimate", "bound")
SAMPLES = LIMITED + ("samples", "coverage", "localisation", "inverse_temperature", "strength", "ball")
PEOPLE = ("records_per_user", "weighting", "clip_norm", "radius", "phases", "spread", "core", "test_share", "failure_share", "phases_passed")
# name: unit, relations by notion, plan, options that it always has, options that it may have
METHODS = {
    "limited-objective": ("item", {"pure": ALL, "approx": ALL}, limited_objective, LIMITED + ("projection_radius", "distance"),
                          CHOSEN + ("feature_blocks", "neighbours", "records")),
    "limited-output": ("item", {"pure": ALL, "gaussian": ALL, "approx": ALL}, limited_output, LIMITED, CHOSEN + ("neighbours", "projection_radius", "domain")),
    "double-output": ("item", {"pure": ALL[:2]}, double_output, LIMITED + ("oracle", "local_radius"),
                      CHOSEN + ("neighbours", "gradient_bound", "iteration_limit", "domain")),
    "localized": ("item", {"pure": ALL[:2]}, localized, LIMITED + ("failure", "solver", "phases", "blocks"),
                  CHOSEN + ("neighbours", "oracle", "gradient_bound", "iteration_limit", "domain", "schedule", "tails", "net_points", "smoothing", "smoothing_radius")),
    "net-exponential": ("item", {"pure": ALL[:2]}, net_exponential, LIMITED + ("net_points", "smoothing", "net_spacing"),
                        CHOSEN + ("neighbours", "smoothing_radius")),
    "localized-exponential": ("item", {"pure": ALL[:2]}, localized_exponential, LIMITED + ("cells", "localisation_radius", "cell_side"),
                              CHOSEN + ("neighbours",)),
    "tuned": ("item", {"pure": ALL[:2]}, tuned, ("settings", "validation", "mean_runs", "chosen", "noisy_score"), ("neighbours",)),
    "dp-sgd": ("item", {"approx": THERE, "gaussian": THERE}, dp_sgd, CLIPPED,
               ("clip_share", "clip_quantile", "chosen_clip_norm", "schedule", "moment_order", "moment", "distance", "failure", "growth_radius", "smoothness",
                "gap", "risk_bound", "records")),
    "o2nc-single": ("item", {"gaussian": ALL[:2], "approx": ALL[:2]}, o2nc_one_pass, O2NC + ("prefix_sums",), ("neighbours", "schedule", "gap", "radius", "stationarity_bound")),
    "o2nc-first": ("item", {"gaussian": ALL[:2], "approx": ALL[:2]}, o2nc_one_pass, O2NC + ("prefix_sums",), ("neighbours", "schedule", "gap", "radius", "stationarity_bound")),
    "o2nc-multi": ("item", {"gaussian": ALL[:2], "approx": ALL[:2]}, o2nc_multi, O2NC, ("neighbours", "schedule", "gap", "radius", "stationarity_bound")),
    "o2nc-sampled": ("item", {"approx": ("zero_out",)}, o2nc_sampled, O2NC + ("batch", "noise_multiplier"), ("radius", "records")),
    "dp-gd": ("item", {"gaussian": ALL, "approx": ALL}, dp_gd,
              ("neighbours", "clip_norm", "steps", "step", "regularisation", "iterate", "radius", "seed", "noise"), ()),
    "posterior-exact": ("item", {"pure": ALL, "gaussian": ALL}, posterior_exact, SAMPLES + ("least_acceptance", "predicted_acceptance"), CHOSEN + ("neighbours",)),
    "asap-mala": ("item", {"pure": ALL, "gaussian": ALL}, asap_mala,
                  SAMPLES + ("perturbation", "step_limit", "center_radius", "distance", "step_size", "chain_steps"), CHOSEN + ("mala_steps", "neighbours")),
    "user-sgd": ("user", {"approx": THERE, "gaussian": THERE}, user_sgd, CLIPPED + ("records_per_user", "weighting"), ("user_count",)),
    "user-phased": ("user", {"approx": REPLACE}, user_phased, PEOPLE, ("groups", "step", "tau_")),
    "user-erm": ("user", {"approx": REPLACE}, user_erm, PEOPLE + ("iterations", "sampling", "regularisation", "smoothness", "strong_convexity"),
                 ("batch", "smoothing", "tau_")),
    "user-group": ("user", {"approx": THERE}, user_group, CLIPPED + ("records_per_user",), ("user_count",)),
}
BUDGET = {"pure": ("epsilon",), "approx": ("epsilon", "delta"), "gaussian": ("mu",), "zcdp": ("rho",)}
FACTS = ("weight_bound", "records", "features", "intercept", "loss", "loss_parameter", "classes", "classes_source", "hidden", "pieces", "row_norm_bound", "row_norm_bound_source",
         "label_bound", "method_choice", "columns", "target_range", "target_kind", "header", "separator", "query", "column_names",
         "schema_drafted_from_data", "users",
         "records_source", "records_per_user", "shards", "user_column", "records_held_out", "ledger_release", "group", "group_of", "some_record", "assumptions_of_the_caller",
         "schema_source", "schema_epsilon", "schema_delta", "schema_unit", "schema_neighbours", "schema_edited",
         "schema_columns", "schema_column_names", "schema_query", "schema_group", "schema_group_of", "schema_cost")
SHARDED = ("limited-objective", "limited-output", "double-output", "net-exponential", "localized", "localized-exponential", "tuned", "posterior-exact", "asap-mala",
           "dp-sgd", "dp-gd", "o2nc-single", "o2nc-multi", "o2nc-sampled", "o2nc-first", "user-sgd", "user-group")
READ = "read off the data, assumed public"
HEADER = "of the header, assumed public"
SENTENCES = (  # a fact, its value, the assumption that it leads to
    ("columns", READ, "the columns were read off the data and are taken to be public"),
    ("classes", READ, "the classes were read off the data and are taken to be public"),
    ("classes_source", READ, "the classes were read off the data and are taken to be public"),
    ("target_kind", "read off the first record", "that the target has numbers, not classes, was read off the first record"),
    ("header", "read off the data", "whether the first line is a header was read off the data"),
    ("column_names", HEADER, "the names of the columns are taken to be public"),
    ("separator", "read off the data", "what separates the cells was read off the data"),
    ("query", "assumed to treat each record by itself",
     "the records are the rows of a query, which is assumed to treat each record by itself"),
    ("group", "by a public column",
     "the records are those of one group of a public column: their number is public, a neighbour keeps the "
     "column's value, and a record has the same value in every release"),
    ("some_record", "assumed public", "that there is at least one record is taken to be public: a table without any is refused"),
    ("schema_source", "found privately", "the schema was found privately and is taken to be public: what that cost comes on top"),
    ("schema_columns", READ, "the schema's columns were read off the data and are taken to be public"),
    ("schema_column_names", HEADER, "the names of the schema's columns are taken to be public"),
    ("schema_query", "assumed to treat each record by itself",
     "the schema was found in the rows of a query, which is assumed to treat each record by itself"),
    ("schema_group", "by a public column",
     "the schema was found in the records of one group of a public column: their number is public, a neighbour keeps the "
     "column's value, and a record has the same value in every release"),
    ("schema_drafted_from_data", True, "the schema was drafted from the data and is taken to be public"),
)


CALLER = (  # what the Python package adds for pipelines and searches: in files of version 1 no fact counts them
    r"the records went through .+, which (is assumed to treat each record by itself|may learn from all of them without privacy)",
    r"the fit was one of several by .+, whose scores, and a choice by them, are not private",
)


UNREADABLE = re.compile(  # what a terminal does not show, or obeys
    "[\\x00-\\x1f\\x7f-\\xa0\\xad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800"
    "\\u3000\\u3164\\ud800-\\udfff\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff]"
)


def planned_assumptions(fit, method):
    found = [sentence for name, value, sentence in SENTENCES if fit.public.get(name) == value]
    if method == "asap-mala":
        found += chain_assumptions(fit)
    if method in ("limited-objective", "limited-output", "posterior-exact", "asap-mala") and fit.relation == "add_remove":
        found.append(f"the data has at most {fit.n} records, which was stated and is public")
    return found


def check_assumptions(fit, method, stated):
    if not all(isinstance(each, str) for each in stated):
        raise Malformed('"assumptions" has something else than texts')
    planned = planned_assumptions(fit, method)
    for sentence in planned:
        if sentence not in stated:
            raise Refused(f"the certificate does not state what the fit assumes: {sentence}")
    added = [sentence for sentence in stated if sentence not in planned]
    counted = fit.fact("assumptions_of_the_caller") if "assumptions_of_the_caller" in fit.public else None
    old = fit.cover == "eraser"  # files of version 1 had the sentences alone
    free = [sentence for _, _, sentence in SENTENCES] if old else []
    for sentence in added:
        if not sentence.strip(" ") or UNREADABLE.search(sentence):
            raise Refused(f"an assumption is no readable line: {sentence!r}")
        if counted is None and sentence not in free and not (old and any(re.fullmatch(form, sentence) for form in CALLER)):
            raise Refused(f"nothing in the certificate leads to its assumption: {sentence}")
    if counted is not None and len(added) != counted:
        raise Refused(f"assumed_public.assumptions_of_the_caller is {counted:g}, but they are {len(added)}")
    if len(set(stated)) < len(stated):
        raise Refused("an assumption is stated twice")


def check_names(method, options, public, notion):
    _, _, _, always, perhaps = METHODS[method]
    budget = BUDGET[notion]
    for name in options:
        if name not in always and name not in perhaps and name not in budget and not (name.startswith("tau_") and "tau_" in perhaps):
            raise Refused(f"options.{name} does not belong to the method {method}")
    for name in always + budget:
        if name not in options:
            raise Refused(f"options.{name} is missing")
    known(public, FACTS, "assumed_public.")
    if "records_held_out" in public and method != "tuned":
        raise Refused("assumed_public.records_held_out does not belong to this method")
    # Weights are parts of their bound, at most 1: where a method takes them no number rests on it (docs/weights.md).
    if "weight_bound" in public and method not in WEIGHING:
        raise Refused(f"the method {method} takes no weights")


WEIGHING = ("limited-objective", "limited-output", "dp-sgd", "dp-gd", "user-sgd")
TEXTS = ("neighbours", "clip_norm", "iterate", "settings", "oracle", "domain", "solver", "limits", "feature_exponents", "feature_blocks", "spread", "sampling",
         "weighting", "prefix_sums", "output", "estimate", "bound", "schedule")
COUNTS = ("steps", "seed", "chosen", "averaging", "period", "directions", "samples", "mala_steps", "records_per_user", "phases", "iterations", "phases_passed",
          "blocks", "net_points", "cells")
ITERATES = ("average", "last", "random")
WORDS = {"iterate": ITERATES, "weighting": ("user", "record"), "output": ("last", "random"),
         "sampling": ("all", "sample"), "prefix_sums": ("square-root", "tree")}
SIGNED = ("label_offset", "noisy_score", "seed")
POSITIVE = ("weight_bound", "row_norm_bound", "label_bound", "loss_parameter", "hidden", "pieces", "records", "features", "users", "records_per_user")


def check_kinds(method, options, public, model):
    """Texts where texts belong, and numbers that are finite and, but for some, not negative."""
    for name, value in options.items():
        text = name in TEXTS or (name == "smoothing" and method in ("net-exponential", "localized"))
        if text != isinstance(value, str) and not (name == "ball" and value == "inf"):
            raise Refused(f"options.{name} is {value!r}")
        if isinstance(value, str) and value not in WORDS.get(name, (value,)):
            raise Refused(f"options.{name} is {value!r}, expected {' or '.join(WORDS[name])}")
        if name == "clip_norm" and value not in ("auto", "private-min") and not float(value) > 0:
            raise Refused(f"options.clip_norm is {value!r}, expected auto, private-min or a number above 0")
        if name in COUNTS and not isinstance(value, int):
            raise Refused(f"options.{name} is {value!r}, no whole number")
        if not text and value != "inf" and not (plain_number(value, name) >= 0 or name in SIGNED):
            raise Refused(f"options.{name} is {value!r}")
    if "shards" in public and method not in SHARDED:
        raise Refused(f"{method} takes no shards")
    if isinstance(public.get("classes"), str) and public["classes"] != READ:
        raise Refused(f"assumed_public.classes is {public['classes']!r}")
    for name in POSITIVE:
        if name in public and not 0 < plain_number(public[name], name) < math.inf:
            raise Refused(f"assumed_public.{name} is {public[name]!r}")
    if not 2.0**-100 <= plain_number(public.get("weight_bound", 1.0), "weight_bound") <= 2.0**100:
        raise Refused(f"assumed_public.weight_bound is {public['weight_bound']!r}")
    if public.get("loss_parameter") != member(model, "loss", dict).get("parameter"):
        raise Refused("the model and its certificate state different parameters of the loss")


def account(notion, events, stated):
    """The guarantee that the steps add up to, against the stated one."""
    if notion == "pure":
        total = composed_cost({"kind": "pure", "epsilon": 0.0}, events)[1]
        covers_total(stated["epsilon"], total, "epsilon")
        return {"epsilon": total}
    if notion == "gaussian":
        total = math.sqrt(math.fsum(gaussian_square(e) * n for e, n in events))
        covers_total(stated["mu"], total, "mu")
        return {"mu": total}
    if notion == "zcdp":
        total = math.fsum(zero_concentrated(e) * n for e, n in events)
        covers_total(stated["rho"], total, "rho")
        return {"rho": total}
    if len(events) == 1 and events[0][0]["kind"] == "approx":
        event = events[0][0]
        if stated["delta"] < event["delta"]:
            raise Refused("the guarantee's delta is below its step's")
        covers_total(stated["epsilon"], event["epsilon"], "epsilon")
        return {"epsilon": event["epsilon"], "delta": event["delta"]}
    low = bounded(stated["epsilon"], events, stated["delta"], "the certificate")
    # More than is needed is no break of a promise; the tool adds failures up, and its bracket is wide where epsilon is tiny.
    if stated["epsilon"] > low * (1 + 5e-3) + 1e-3 * stated["delta"] + 1e-6:
        raise Refused(f"the certificate states epsilon {stated['epsilon']!r}, but the steps give {low!r}")
    return {"epsilon": low, "delta": stated["delta"]}


def twice(step):
    """What a step costs for a unit that is replaced; docs/certificate.md, "Two numbers". None: nothing of its own."""
    event, kind = step.event, step.event["kind"]
    if step.mechanism == "noise-cover":
        return event
    if step.mechanism == "objective-perturbation" and kind == "pure":
        return {**event, "epsilon": event["epsilon"] + (step.value + step.slack) / step.scale}
    if kind == "gaussian-objective":
        return {**event, "mu": 2 * event["mu"], "far": event["far"] ** 2, "near": 2 * event["far"]} if event["near"] == 0 else None
    if kind == "poisson-gaussian":
        return None
    if kind == "approx":
        return {**event, "epsilon": 2 * event["epsilon"], "delta": min((1 + math.exp(event["epsilon"])) * event["delta"], 1.0)}
    return {**event, **{name: 2 * event[name] for name in ("epsilon", "mu", "delta") if name in event}}


def check_replaced(certificate, steps, notion, stated, version):
    if certificate["neighbours"] == "replace_one" or (version == 1 and "replaced" not in certificate):
        if "replaced" in certificate:
            raise Refused("the guarantee is for a replaced unit already")
        return
    claimed = member(certificate, "replaced", dict)
    is_text(member(claimed, "notion", str), notion, "replaced.notion")
    known(claimed, ("notion",) + BUDGET[notion], "replaced.")
    claimed = {name: member(claimed, name, float) for name in BUDGET[notion]}
    own = [twice(step) for step in steps]
    own = None if None in own else [(event, 1) for event in own]
    if notion == "pure":
        total = min(2 * stated["epsilon"], composed_cost({"kind": "pure", "epsilon": 0.0}, own)[1])
        covers_total(claimed["epsilon"], total, "replaced.epsilon")
    elif notion in ("gaussian", "zcdp"):
        name = BUDGET[notion][0]
        covers_total(claimed[name], (2 if notion == "gaussian" else 4) * stated[name], "replaced." + name)
    elif claimed["delta"] != stated["delta"]:
        covers_total(claimed["epsilon"], 2 * stated["epsilon"], "replaced.epsilon")
        covers_total(claimed["delta"], min((1 + math.exp(stated["epsilon"])) * stated["delta"], 1.0), "replaced.delta")
    else:
        half = claimed["epsilon"] / 2
        whole = {"epsilon": half, "delta": claimed["delta"] / (1 + math.exp(half))}
        ways = [([(step.event, 1) for step in steps], whole)] + ([(own, claimed)] if own else [])
        if not any(holds(events, numbers) for events, numbers in ways):
            raise Refused("the guarantee for a replaced unit does not follow from the steps")


def holds(events, numbers):
    try:
        account("approx", events, numbers)
    except Refused:
        return False
    return True


def covers_total(stated, needed, name):
    if stated < needed * (1 - SAFE) or stated > needed * (1 + 1e-9):
        raise Refused(f"the certificate states {name} = {stated!r}, but the steps give {needed!r}")


def gaussian_square(event):
    """mu squared; docs/accounting.md."""
    if event["kind"] == "gaussian":
        return event["mu"] ** 2
    if event["kind"] == "poisson-gaussian":
        return event["steps"] / event["noise_multiplier"] ** 2
    if event["kind"] in PURE:
        p = 1 / (1 + math.exp(-event["epsilon"]))
        return (2 * float(mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(p) - 1))) ** 2
    raise Refused(f"{event['kind']} has no guarantee in Gaussian privacy")


def zero_concentrated(event):
    if event["kind"] in ("gaussian", "poisson-gaussian"):
        return gaussian_square(event) / 2
    if event["kind"] == "bounded-range":
        return event["epsilon"] ** 2 / 8
    if event["kind"] in PURE:
        return event["epsilon"] * math.tanh(event["epsilon"] / 2)
    raise Refused(f"{event['kind']} has no guarantee in zero-concentrated privacy")


def check_budget(fit, notion, stated, steps):
    """What the options say of the budget is the guarantee, but for what calibration leaves: up to 1 %.

    Steps that are all pure show what was asked for. With a delta they give less, down to 0.
    """
    pure = math.fsum(step.event["epsilon"] for step in steps) if all(step.kind in PURE for step in steps) else 0.0
    for name in BUDGET[notion]:
        asked = fit.option(name)
        if name == "delta":
            is_text(stated[name], asked, "the guarantee's delta")
        elif not (asked <= 1.01 * max(stated[name], pure if name == "epsilon" else 0.0) and stated[name] <= asked * (1 + 2.0**-22)):
            raise Refused(f"options.{name} is {asked!r}, but the guarantee states {stated[name]!r}")


def check_model(model, fit, method, steps):
    """The parameters: as many as were released, each on its grid."""
    features, intercept = member(model, "features", dict), member(model, "intercept", float)
    known(features, ("count", "names"), "features.")
    known(model["target"], ("column", "classes", "offset", "scale"), "target.")
    known(model["loss"], ("name", "parameter", "hidden", "pieces"), "loss.")
    if not isinstance(model.get("schema", 0), dict | None):
        raise Refused("the model has neither a schema nor null for none")
    count = member(features, "count", int)
    rows = [member(model, "parameters", list)] + (member(model, "samples", list) if "samples" in model else [])
    if fit.p != count + (1 if intercept else 0) or fit.fact("intercept") != intercept or len(member(features, "names", list)) not in (0, count):
        raise Refused("the model and its certificate state different features")
    check_features(model)
    if member(member(model, "loss", dict), "name", str) != fit.loss:
        raise Refused("the model and its certificate state different losses")
    classes = member(member(model, "target", dict), "classes", list)
    target = model["target"]
    offset, scale = number(target.get("offset"), "target.offset"), number(target.get("scale"), "target.scale")
    if (offset, scale) != (0, 1) if classes else not (math.isfinite(offset) and 0 < scale < math.inf):
        raise Refused("the target's offset and scale do not go with it")
    stated = (model.get("schema") or {}).get("target") or {}
    if stated.get("column", target.get("column")) != target.get("column") or stated.get("classes", classes) not in ([], classes):
        raise Refused("the model and its schema state different targets")
    if isinstance(fit.public.get("classes"), (int, float)) and fit.public["classes"] != len(classes):
        raise Refused("the model and its certificate state different classes")
    if "hidden" in fit.public:
        hidden, outputs = fit.whole("hidden"), {1, len(classes), len(classes) - 1}
        if not any(len(rows[0]) == hidden * fit.p + (hidden + 1) * each for each in outputs):
            raise Refused("the model and its certificate state different networks")
    wanted = int(fit.option("samples", 1))
    if "samples" in model and (len(model["samples"]) != wanted or model["samples"][-1] != model["parameters"]) or ("samples" not in model and wanted > 1):
        raise Refused(f"the certificate states {wanted} samples")
    dimension = fit.dimension if method in ("net-exponential", "localized-exponential", "tuned") else steps[-1].dimension
    grid = fit.option("net_spacing") if method == "net-exponential" else steps[-1].grid
    for row in rows:
        if not isinstance(row, list) or len(row) != dimension:
            raise Refused(f"the last step released {dimension} parameters")
        for i, value in enumerate(row):
            if not on_grid(number(value, "parameters"), grid, exponent(fit, i)):
                raise Refused(f"parameter {i} does not lie on the grid of the last step")


def blocks_of(schema):
    """The features of each column, and of each part of a date, by its name: docs/certificate.md, "The names of features".

    A feature is a list of texts and knots; a knot is (value, how far off its last digits may be, whether it is a date).
    """
    blocks = {}
    for name, column in schema["columns"].items():
        kind = column["type"]
        missing = ["=missing"] if column.get("missing") == "indicator" and "indicator" not in column.get("categories", ()) else []
        if kind in ("numeric", "date"):
            knots = [["@", knot] for knot in knots_of(column, kind == "date")] or [[]]
            blocks[name] = [[name, *knot] for knot in knots] + [[name, end] for end in missing]
            ends = {part: range(first, last + 1) for part, first, last in (("month", 1, 12), ("weekday", 1, 7), ("hour", 0, 23)) if part in column.get("parts", ())}
            for part, values in ends.items():
                blocks[f"{name}.{part}"] = [[f"{name}.{part}", end] for end in [*(f"={k}" for k in values), *missing]]
        elif kind == "categorical":
            blocks[name] = [[name, end] for end in [*("=" + each for each in column["categories"]), "=other", *missing]]
        elif kind == "hashed":
            blocks[name] = [[name, end] for end in [*(f"=#{k}" for k in range(member(column, "buckets", int))), *missing]]
    return blocks


def knots_of(column, dates):
    """Of a straight line there are none."""
    def value(x):
        return seconds(x) if dates else number(x, "a knot")

    knots = column.get("knots", 1)
    low, high = value(column["min"]), value(column["max"])
    off = 1e-12 * max(abs(low), abs(high))
    if isinstance(knots, list):
        return [(value(each), off, dates) for each in knots] if len(knots) > 1 else []
    count = 1 if knots == "auto" else int(knots)
    if count < 2:
        return []
    if column.get("transform") == "log1p":
        between = [low + math.expm1(k / (count - 1) * math.log1p(high - low)) for k in range(1, count - 1)]
    else:
        between = [low + k / (count - 1) * (high - low) for k in range(1, count - 1)]
    return [(each, off, dates) for each in (low, *between, high)]


NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")
DATE = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?Z)?")


def is_feature(name, parts):
    for part in parts:
        if isinstance(part, str):
            if not name.startswith(part):
                return False
            name = name[len(part):]
            continue
        knot, off, date = part
        found = (DATE if date else NUMBER).match(name)
        if not found or abs((seconds(found[0]) if date else float(found[0])) - knot) > off:
            return False
        name = name[found.end():]
    return not name


SCHEMA = ("columns", "pairs", "target", "user", "others", "unreadable", "decimal", "drafted_from_data")
RANGED = ("type", "min", "max", "missing", "knots")
COLUMN = {"numeric": (*RANGED, "transform", "integer"), "date": (*RANGED, "parts"), "categorical": ("type", "categories", "missing", "other"),
          "hashed": ("type", "buckets", "hash_key", "missing"), "ignore": ("type",)}
BUCKETS, KNOTS = 2**20, 1024  # the most of a column; there are at most as many categories as buckets


def check_schema(schema):
    """docs/schema.md: what a schema may say. A fit takes no other, so no model has one."""
    known(schema, SCHEMA, "schema.")
    columns, target = member(schema, "columns", dict) if "columns" in schema else {}, schema.get("target")
    for name, column in columns.items():
        kind = member(column, "type", str)
        if kind not in COLUMN:
            raise Malformed(f'the type of the column "{name}" is unknown')
        known(column, COLUMN[kind], f"schema.columns.{name}.")
        CHECKS[kind](column)
    used = [name for name, column in columns.items() if column["type"] != "ignore"]
    if target is not None:
        check_target(target)
        used += [target["column"]] if target.get("column") else []
    if "user" in schema:
        known(schema["user"], ("column",), "schema.user.")
        used.append(member(schema["user"], "column", str))
    distinct(columns, "columns")
    distinct(used, "columns, the target and the user")
    blocks, seen = set(blocks_of({"columns": columns})), set()
    for pair in member(schema, "pairs", list) if "pairs" in schema else ():
        if len(pair) != 2 or not set(pair) <= blocks or len(set(pair)) < 2 or frozenset(pair) in seen:
            raise Refused("the schema has a pair that is none of two of its columns, or has it twice")
        seen.add(frozenset(pair))
    for name, values in (("others", ("ignore",)), ("unreadable", ("missing",)), ("decimal", (".", ","))):
        if name in schema and schema[name] not in values:
            raise Refused(f"schema.{name} is {schema[name]!r}, expected {' or '.join(values)}")
    if "drafted_from_data" in schema:
        member(schema, "drafted_from_data", bool)


def distinct(names, what):
    names = list(names)
    if any(not isinstance(name, str) or not name or name != name.strip(" \t\r\n") for name in names) or len(set(names)) < len(names):
        raise Refused(f"the schema's {what} are not distinct texts without blanks around them")


def check_range(column, dates):
    def value(x):
        return seconds(x) if dates else number(x, "a number of the schema")

    low, high = value(column["min"]), value(column["max"])
    if not (-math.inf < low < high < math.inf and high - low < math.inf):
        raise Refused("a column's min is not below its max")
    if "missing" in column and column["missing"] != "indicator" and not low <= value(column["missing"]) <= high:
        raise Refused("a column's missing is not in its range")
    if column.get("transform", "log1p") != "log1p":
        raise Refused("a column's transform is unknown")
    if "integer" in column and member(column, "integer", bool) and not (low.is_integer() and high.is_integer()):
        raise Refused("the bounds of a column of whole numbers are none")
    check_date_parts(column)
    knots = column.get("knots", "auto")
    if isinstance(knots, list):
        at = [value(knot) for knot in knots]
        if not 2 <= len(at) <= KNOTS or at != sorted(set(at)) or not low <= at[0] <= at[-1] <= high:
            raise Refused("a column's knots do not ascend within its range")
    elif knots != "auto" and not 1 <= member(column, "knots", int) <= KNOTS:
        raise Refused("a column has no such number of knots")


def check_date_parts(column):
    parts = column.get("parts", [])
    if not isinstance(parts, list) or not set(parts) <= {"month", "weekday", "hour"} or len(set(parts)) < len(parts):
        raise Refused("a date has no such parts")


def check_listed(column):
    categories = member(column, "categories", list)
    distinct(categories, "categories")
    if not 1 <= len(categories) <= BUCKETS or "other" in categories:
        raise Refused("a column's categories are too many, none, or have \"other\" among them")
    if "other" in column and not 2.0**-20 <= member(column, "other", float) <= 1:
        raise Refused("a column's other is not in its range")
    if "missing" in column and member(column, "missing", str) not in (*categories, "other", "indicator"):
        raise Refused("a column's missing is none of its categories")


def check_buckets(column):
    if not 2 <= member(column, "buckets", int) <= BUCKETS:
        raise Refused("a column has no such number of buckets")
    if "hash_key" in column and not re.fullmatch("[0-9a-fA-F]{32}", member(column, "hash_key", str)):
        raise Refused("a column's hash_key is not 32 hexadecimal digits")
    if "missing" in column:
        distinct([column["missing"]], "missing texts")


def check_target(target):
    known(target, ("column", "classes", "min", "max", "transform"), "schema.target.")
    bounds = {name: member(target, name, float) for name in ("min", "max") if name in target}
    if "column" in target:
        member(target, "column", str)
    if target.get("transform", "log1p") != "log1p" or ("transform" in target and ("min" not in bounds or "classes" in target)):
        raise Refused("the target's transform does not go with it")
    if "classes" in target:
        distinct(member(target, "classes", list), "classes")
        if len(target["classes"]) < 2 or bounds:
            raise Refused("the target has too few classes, or bounds besides")
    elif not all(map(math.isfinite, bounds.values())) or not bounds.get("min", -math.inf) < bounds.get("max", math.inf):
        raise Refused("the target's min is not below its max")


CHECKS = {"numeric": lambda column: check_range(column, False), "date": lambda column: check_range(column, True),
          "categorical": check_listed, "hashed": check_buckets, "ignore": lambda column: None}


def check_features(model):
    """The schema makes the model's features, in its order: the digest does not tell how columns are ordered."""
    schema, features = model.get("schema"), model["features"]
    if schema is not None:
        check_schema(schema)
    if not schema or not schema.get("columns"):
        return
    blocks, pairs = blocks_of(schema), schema.get("pairs", ())
    if sum(map(len, blocks.values())) + sum(len(blocks[a]) * len(blocks[b]) for a, b in pairs) != features["count"]:
        raise Refused(f"the schema does not make the model's {features['count']} features")
    made = [feature for block in blocks.values() for feature in block]
    for a, b in pairs:
        made += [[*f, "*", *g] for f in blocks[a] for g in blocks[b]]
    for k, (name, parts) in enumerate(zip(features["names"], made), 1):
        if not is_feature(name, parts):
            raise Refused(f'the schema\'s columns are in another order than the fit\'s, or were renamed: feature {k} of the model is "{name}"')


def exponent(fit, index):
    """docs/private_limits.md: the power of two that a parameter was divided by, one for each feature or for all; the intercept has none."""
    listed = fit.options.get("feature_exponents")
    place, features = index % fit.p, fit.p - (1 if fit.fact("intercept") else 0)
    if listed is None or place >= features:
        return 0
    powers = [int(each) for each in listed.split()]
    if len(powers) not in (1, features):
        raise Refused("options.feature_exponents does not have the model's features")
    return powers[0] if len(powers) == 1 else powers[place]


def on_grid(value, grid, power):
    if not math.isfinite(value):
        raise Malformed("a parameter is not a finite number")
    try:
        return not grid or math.fmod(math.ldexp(value, power), grid) == 0
    except OverflowError:
        return Fraction(value) * Fraction(2) ** power % Fraction(grid) == 0


# ---------------------------------------------------------------------------------------------------------------------
# A fit that found the columns' ranges first: docs/private_schema.md

CLASSES = 198  # 3, 22 of dates, 25 + 41 + 24 of whole numbers, 83 of others
MOST_CELLS = 65  # 64, and what is in none


def without_ranges(model, certificate, steps, notion):
    """The certificate and steps of the fit alone, and what they cost; the ranges are checked on the way."""
    options = certificate["options"]
    parts = [{name: plain_number(options.get(part + name), part + name) for name in BUDGET[notion]} for part in ("range_", "range_rest_")]
    if notion not in ("pure", "approx") or len(steps) != 2:
        raise Refused("ranges are found under pure or approximate privacy, in the first of two steps")
    for step, name, cost in zip(steps, ("private-ranges", "fit"), parts):
        formal(step, name, "composed", notion)
        is_text({k: v for k, v in step.event.items() if k != "kind"}, cost, f"the event of {name}")
    check_ranges(model, certificate, steps[0].inner, notion, parts[0])
    bare = {name: value for name, value in options.items() if not name.startswith("range_")}
    if set(options) - set(bare) != {"range_target", *("range_" + n for n in BUDGET[notion]), *("range_rest_" + n for n in BUDGET[notion])}:
        raise Refused("the options of the ranges have a name too many, or one too few")
    for step, cost in zip(steps, parts):
        if spent(step.inner, notion, cost)["epsilon"] > cost["epsilon"] * (1 + 1e-9):
            raise Refused(f"the event of {step.mechanism} does not cover the steps within it")
    return {**certificate, "options": bare}, steps[1].inner, spent(steps[1].inner, notion, parts[1])


def spent(steps, notion, cost):
    """What the steps cost together, at the delta of their part."""
    if notion == "gaussian":
        return {"mu": math.sqrt(math.fsum(gaussian_square(step.event) for step in steps))}
    counted = {}
    for step in steps:
        key = json.dumps(step.event, sort_keys=True)
        counted[key] = (step.event, counted.get(key, (None, 0))[1] + 1)
    events = list(counted.values())
    if notion == "pure":
        return {"epsilon": composed_cost({"kind": "pure", "epsilon": 0.0}, events)[1]}
    if len(events) == 1 and events[0][1] == 1 and events[0][0]["kind"] == "approx":
        return {name: events[0][0][name] for name in ("epsilon", "delta")}
    return {"epsilon": least_epsilon(events, cost["delta"])[1], "delta": cost["delta"]}


def check_ranges(model, certificate, steps, notion, cost):
    """Three questions a column, each with the noise that it needs, and answers that can have left."""
    schema, answers = member(model, "schema", dict), member(model, "ranges", dict)
    known(answers, ("released", "released_texts"), "ranges.")
    member(answers, "released_texts", list)
    target = certificate["options"].get("range_target")
    if not isinstance(target, bool):
        raise Refused("options.range_target is neither true nor false")
    check_search(in_order(member(schema, "columns", dict)) + [{}] * target, answers, certificate, steps, notion, cost)


def in_order(columns):
    """The columns are asked about in the order of their names."""
    return [column for _, column in sorted(columns.items(), key=lambda item: item[0].encode())]


def check_search(columns, answers, certificate, steps, notion, cost):
    """The steps and answers of these columns' questions; columns with categories have those that left."""
    told, asked = list(answers.get("released_texts", [])), len(columns)
    replaces, people = certificate["neighbours"] == "replace_one", certificate["unit"] == "user"
    failure = 0.0
    if notion == "approx":
        formal(steps[0], "failure", None, "failure")
        covers(steps[0].event["delta"], cost["delta"] / 4, "the failure of the texts")
        failure, steps = steps[0].event["delta"] / ((2 if replaces else 1) * asked), steps[1:]
    take(steps, 3 * asked, "the search for ranges")
    released = take(member(answers, "released", list), 3 * asked, "the search for ranges")
    for k, (step, numbers) in enumerate(zip(steps, released)):
        counts = k % 3 != 1
        moved = (math.sqrt(2) if notion == "approx" else 2) if replaces and counts else 1
        texts = step.mechanism == "frequent-texts" and notion == "approx" and k % 3 == 2
        noise = "frequent-texts" if texts else "gaussian" if notion == "approx" else "laplace-vector" if people else "geometric"
        expect(step, noise, "gaussian" if notion == "approx" else "pure", moved, 0, "l2" if notion == "approx" else "l1")
        noise_cost(step)
        fine_enough(step) if noise != "geometric" else is_text(step.grid, 1, "the grid of counts")
        sizes = (0, 0) if texts else ((CLASSES, CLASSES), (1, 1), (2, MOST_CELLS))[k % 3]
        if not sizes[0] <= step.dimension <= sizes[1] or not isinstance(numbers, list):
            raise Refused(f"question {k + 1} about ranges has {step.dimension} answers")
        if not texts and len(numbers) != step.dimension or not all(on_grid(number(x, "released"), step.grid, 0) for x in numbers):
            raise Refused(f"answer {k + 1} about ranges is not what the step releases")
        left = told.pop(0) if texts and told else None
        if texts:
            check_texts(step, numbers, left, failure)
        column = columns[k // 3] if k % 3 == 2 else {}
        if not set(column.get("categories", ())) <= set(left or ()) or (texts and not set(column.get("classes", ())) <= set(left)):
            raise Refused("a column has a category that did not leave")
    if told:
        raise Refused("texts were released that no question asked for")


def check_texts(step, counts, texts, failure):
    """A text leaves when its count comes to a threshold that one unit alone passes with this probability at most."""
    if not isinstance(texts, list) or len(texts) != len(counts) or not all(isinstance(t, str) for t in texts):
        raise Refused("the texts do not go with their counts")
    if sorted({t.encode() for t in texts}) != [t.encode() for t in texts]:
        raise Refused("the texts are not in their order")
    threshold = 1 + step.scale * quantile(failure) + step.grid / 2
    if any(number(c, "released") < threshold * (1 - 1e-9) for c in counts):
        raise Refused("a text is told that cannot have left")


# ---------------------------------------------------------------------------------------------------------------------
# A fit whose coefficients have intervals: docs/intervals.md. What is checked is their cost, not their width.

VARIATION = 0.5  # the weight of the second sum
MOMENT_ROWS = 1024


def without_intervals(model, certificate, steps, notion):
    """The certificate and steps of the fit alone, and what they cost; the intervals are checked on the way."""
    options = certificate["options"]
    names = [(part, {name: plain_number(options.get(part + name), part + name) for name in BUDGET[notion]}) for part in ("interval_rest_", "interval_")]
    take(steps, 2, "a fit with intervals")
    for step, name, (_, cost) in zip(steps, ("fit", "private-intervals"), names):
        formal(step, name, "composed", notion)
        is_text({k: v for k, v in step.event.items() if k != "kind"}, cost, f"the event of {name}")
        over = {key: value for key, value in spent(step.inner, notion, cost).items() if value > cost[key] * (1 + 1e-9)}
        if over:
            raise Refused(f"the event of {name} does not cover the steps within it")
    bare = {name: value for name, value in options.items() if not name.startswith("interval_")}
    if set(options) - set(bare) != {"interval_level", *(part + n for part, _ in names for n in BUDGET[notion])}:
        raise Refused("the options of the intervals have a name too many, or one too few")
    check_intervals(model, certificate, take(steps[1].inner, 1, "the release for intervals")[0], notion)
    return {**certificate, "options": bare}, steps[0].inner, spent(steps[0].inner, notion, names[0][1])


def check_intervals(model, certificate, step, notion):
    """Two sums of matrices, one record's part limited: its sensitivity, noise and grid; and ends that go with the parameters."""
    facts, told = certificate["assumed_public"], member(model, "intervals", dict)
    known(told, ("level", "lower", "upper", "minimiser", "released"), "intervals.")
    n, p = plain_number(facts.get("records"), "records"), facts.get("features")
    if facts.get("loss") not in ("logistic", "squared", "huber") or certificate["method"] not in ("limited-objective", "limited-output"):
        raise Refused("there are no intervals for such a fit")
    if "=" in str(certificate["options"].get("feature_blocks", "")):
        raise Refused("there are no intervals for a fit with noise in a plane")
    both = math.sqrt(1 + VARIATION**2)
    value = both * (math.sqrt(2) if certificate["neighbours"] == "replace_one" else 1)
    rounding = gamma(MOMENT_ROWS + 2 * (math.floor(math.log2(n)) + 1) + 24) * n * both
    kind = "isotropic-laplace" if notion == "pure" else "gaussian"
    expect(step, kind, kind, value, 16 * U * value + 2 * rounding, "l2", p * (p + 1))
    noise_cost(step)
    fine_enough(step)
    released = take(member(told, "released", list), step.dimension, "the release for intervals")
    if not all(on_grid(number(x, "released"), step.grid, 0) for x in released):
        raise Refused("a number of the intervals is not what the step releases")
    if not 0 < number(told["level"], "level") < 1 or told["level"] != certificate["options"]["interval_level"]:
        raise Refused("the level of the intervals is not the certificate's")
    inner = member(told, "minimiser", dict)
    known(inner, ("lower", "upper"), "intervals.minimiser.")
    ends = [take(member(of, end, list), len(model["parameters"]), "an end for each parameter") for of in (told, inner) for end in ("lower", "upper")]
    for value, low, high, inside_low, inside_high in zip(model["parameters"], *ends):
        if not low <= inside_low <= value <= inside_high <= high:
            raise Refused("an interval does not hold its parameter, or is narrower than that of the minimiser")


TOP = ("format", "version", "loss", "target", "features", "intercept", "parameters", "samples", "schema", "ranges", "intervals", "certificate", "digest", "signature")
CERTIFICATE = {"private": bool, "guarantee": dict, "unit": str, "neighbours": str, "method": str, "steps": list, "composition": str, "options": dict,
               "assumed_public": dict, "assumptions": list, "bit_source": str, "seeded": bool, "watched": bool, "tacit": str}


def verify(path, key=None):
    """Raises Malformed or Refused, or returns what holds."""
    model = read(path)
    kind = model.get("format") if isinstance(model, dict) else None
    if kind != "tacit-model" and kind not in STATEMENTS:
        raise Malformed('this is no file of tacit with a certificate (its "format" is not "tacit-model", or that of a statement)')
    version = member(model, "version", int)
    if version not in ((1, 2) if kind == "tacit-model" else (1,)):
        raise Malformed(f"format version {version} is not known")
    member(model, "digest", str)
    if kind == "tacit-model":
        for name, what in (("loss", dict), ("target", dict), ("features", dict), ("intercept", float), ("parameters", list)):
            member(model, name, what)
    certificate = member(model, "certificate", dict)
    for name, what in CERTIFICATE.items():
        member(certificate, name, what)
    rest = {key: value for key, value in model.items() if key not in ("digest", "signature")}
    sealed = written(rest).encode()
    if model["digest"] != "sha256:" + hashlib.sha256(sealed).hexdigest():
        raise Refused("the digest does not hold: the file was changed after it was written")
    if key:
        check_signature(model, sealed, key)
    elif "signature" in model:
        scheme, _, text = member(model, "signature", str).partition(":")
        signature_of(scheme, text)
    known(certificate, (*CERTIFICATE, "replaced"), "certificate.")
    try:
        if kind not in STATEMENTS:
            known(model, TOP, "")
        found = check_statement(model, certificate, kind) if kind in STATEMENTS else check_certificate(model, certificate, version)
        return {**found, "signature": "valid" if key else "unchecked" if "signature" in model else "none"}
    except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError) as error:
        raise Refused(f"its numbers belong to no fit ({error})") from error


def promise(certificate):
    """The notion and the numbers of a guarantee that was made, and the steps."""
    notion = member(certificate["guarantee"], "notion", str)
    if certificate["seeded"] or certificate["watched"]:
        raise Refused("not private: it was made with seeded bits, or an audit looked inside")
    if notion == "none" or not certificate["private"]:
        raise Refused("not private: it was fitted without any privacy")
    if notion not in BUDGET:
        raise Malformed(f'the guarantee\'s notion "{notion}" is unknown')
    if certificate["neighbours"] not in ALL or certificate["unit"] not in ("item", "user"):
        raise Malformed("neighbours or unit are unknown")
    stated = {name: member(certificate["guarantee"], name, float) for name in BUDGET[notion]}
    known(certificate["guarantee"], ("notion",) + BUDGET[notion], "guarantee.")
    # An epsilon may be 0: at a large delta pure noise gives that.
    if not all((0 < value or (name == "epsilon" and notion == "approx" and value == 0)) and value < math.inf for name, value in stated.items()):
        raise Refused("the guarantee has a number that promises nothing")
    return notion, stated, [Step(item) for item in certificate["steps"]]


def check_certificate(model, certificate, version):
    notion, stated, steps = promise(certificate)
    if version == 1 and any(step.kind == "failure" for step in steps):
        raise Refused("a step can fail, which files of version 1 counted a little too low: the epsilon is proved for delta * (1 + delta)")
    check_group(certificate["assumed_public"], certificate["unit"], schema=model.get("schema"))
    parts = [take_off for name, take_off in (("ranges", without_ranges), ("intervals", without_intervals)) if name in model]
    found, alone = parts and account(notion, [(step.event, 1) for step in steps], stated), stated
    whole, outer = certificate, steps
    for take_off in parts:
        certificate, steps, alone = take_off(model, certificate, steps, notion)
    of_fit = check_fit(model, certificate, steps, notion, alone, version)
    check_replaced(whole, outer, notion, stated, version)  # after the number that it follows from
    schema = check_schema_cost(whole, stated)  # whose words follow from the guarantee
    return what_holds(certificate, {"notion": notion, **stated}, found or of_fit, schema)


def what_holds(certificate, stated, found, schema):
    return {"private": True, "guarantee": stated, **({"replaced": certificate["replaced"]} if "replaced" in certificate else {}), "recomputed": found, "unit": certificate["unit"],
            "neighbours": certificate["neighbours"], "method": certificate["method"], "assumptions": certificate["assumptions"],
            **({"group": dict(zip(("column", "value"), group_of(certificate)))} if group_of(certificate)[0] else {}),
            **({"schema_cost": schema} if schema else {})}


def schema_in_words(cost):
    return ", ".join(f"{name} = {six_digits_up(value)}" for name, value in cost.items())


def six_digits_up(x):
    text = f"{x:.6g}"
    return text if float(text) >= x else f"{float(text) + 10.0 ** (math.floor(math.log10(x)) - 5):.6g}"


def sum_up(a, b):
    """Rounded up where the sum is no double."""
    return a + b if Fraction(a + b) >= Fraction(a) + Fraction(b) else math.nextafter(a + b, math.inf)


def replaced_schema(cost):
    """Two changes in a row: (2 epsilon, (1 + e^epsilon) delta)."""
    twice = {"epsilon": 2 * cost["epsilon"]}
    return {**twice, "delta": min(1.0, (1 + math.exp(cost["epsilon"])) * cost["delta"])} if "delta" in cost else twice


def with_schema(cost, stated):
    """The schema and then the model: epsilons and deltas add up, squared mus do where the schema is pure. None: they do not."""
    if "mu" in stated:
        if "delta" in cost:
            return None
        mu = -2 * statistics.NormalDist().inv_cdf(1 / (1 + math.exp(cost["epsilon"])))
        return {"mu": math.hypot(mu, stated["mu"])}
    if "epsilon" not in stated:
        return None
    return {name: sum_up(float(cost.get(name, 0.0)), float(stated.get(name, 0.0))) for name in ("epsilon", "delta") if name in cost or name in stated}


DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)([T ]([01]\d|2[0-3]):[0-5]\d(:([0-5]\d|60)([.,]\d+)?)?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)?)?", re.ASCII)


def is_date(text):
    found = DAY.fullmatch(text)
    if not found:
        return False
    year, month, day = (int(found[k]) for k in (1, 2, 3))
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= month <= 12 and 1 <= day <= (31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def can_be_a_group(value):
    """docs/ledger.md, "Groups": a text, or a whole number below 2^53 in digits; what is written in several ways is none."""
    if value.strip(" \t\r") != value or value.lower() in ("true", "false"):
        return False
    if re.fullmatch(r"0|-?[1-9][0-9]*", value):
        return abs(int(value)) < 2**53
    named = re.fullmatch(r"[+-]?(inf|infinity|nan)", value, re.IGNORECASE)
    return not named and not is_date(value) and not re.fullmatch(r"[+-]?(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?", value, re.IGNORECASE | re.ASCII)


def check_group(public, unit, of="", schema=None):
    """A group has a name and an assumption, and is of records; where the file's schema uses its column, it is a category there."""
    if (of + "group" in public) != (of + "group_of" in public):
        raise Refused("a group is stated without its name, or a name without the group")
    if of + "group" in public:
        name = public[of + "group_of"]
        if public[of + "group"] != "by a public column" or not isinstance(name, str) or not re.fullmatch(r"[^=]+=.+", name, re.DOTALL):
            raise Refused(f"{name!r} is not the name of a group")
        column, _, value = name.partition("=")
        if not can_be_a_group(value):
            raise Refused(f"the group is {value!r}, which is written in several ways, or has blanks around it")
        listed = ((schema or {}).get("columns") or {}).get(column, {"type": "ignore"})
        if listed["type"] != "ignore" and value not in listed.get("categories", ()):
            raise Refused(f"the group {name} is not a category of the schema")
        is_text(unit, "item", "the unit of a group")


def with_own(cost, certificate, stated):
    """The schema and the release that used it, together: under the release's relation, and for a replaced unit. None: they do not add up."""
    relation, own = certificate["assumed_public"]["schema_neighbours"], certificate["neighbours"]
    if certificate["assumed_public"]["schema_unit"] != certificate["unit"]:
        return None, None
    there = cost if relation == own or (relation, own) == ("replace_one", "zero_out") else replaced_schema(cost) if own == "replace_one" else None
    both = with_schema(there, stated) if there else None
    replaced = {name: value for name, value in certificate.get("replaced", {}).items() if name != "notion"}
    return both, with_schema(cost if relation == "replace_one" else replaced_schema(cost), replaced) if replaced else None


def check_told_cost(told_cost, certificate, stated):
    """What a statement repeats of its schema's cost as numbers: those that the facts come to, or more in the last digits."""
    public, notion = certificate["assumed_public"], {"epsilon": "pure", "mu": "gaussian"}
    known(told_cost, ("schema", "together", "replaced", "sentence"), "schema_cost.")
    if "schema_epsilon" not in public:  # older files have the words alone
        return known(told_cost, ("sentence",), "schema_cost.")
    cost = {name: public[f"schema_{name}"] for name in ("epsilon", "delta") if f"schema_{name}" in public}
    both, replaced = with_own(cost, certificate, stated)
    for name, expected in (("schema", cost), ("together", both), ("replaced", replaced)):
        if (name in told_cost) != (expected is not None):
            raise Refused(f"schema_cost.{name} is told where there is none, or missing")
        if expected is None:
            continue
        is_text(told_cost[name].get("notion"), "approx" if "delta" in expected else notion[next(iter(expected))], f"schema_cost.{name}")
        known(told_cost[name], ("notion", *expected), f"schema_cost.{name}.")
        for key, value in expected.items():
            if not value * (1 - 1e-12) <= member(told_cost[name], key, float) <= value * (1 + 1e-9):
                raise Refused(f"schema_cost.{name}.{key} is not what the certificate states")


def check_schema_cost(certificate, stated):
    """What the schema cost, as the facts state it; their words must say the same. Older files have the words alone."""
    public = certificate["assumed_public"]
    if not any(name in public for name in FACTS if name.startswith("schema_") and name not in ("schema_cost", "schema_drafted_from_data")):
        return public.get("schema_cost")
    unit, relation = public.get("schema_unit"), public.get("schema_neighbours")
    cost = {name: plain_number(public[f"schema_{name}"], f"schema_{name}") for name in ("epsilon", "delta") if f"schema_{name}" in public}
    if unit not in ("item", "user") or relation not in ALL or public.get("schema_source") != "found privately" or public.get("schema_edited", True) is not True:
        raise Refused("what the schema cost is not stated as it should be")
    if not 0 < cost.get("epsilon", 0) < math.inf or not 0 < cost.get("delta", 0.5) < 1:
        raise Refused("what the schema cost is no guarantee")
    check_group(public, unit, "schema_")
    if any(public[name] != value for name, value, _ in SENTENCES if name.startswith("schema_") and name in public and name != "schema_drafted_from_data"):
        raise Refused("what the schema assumes is not stated as it should be")
    both, replaced = with_own(cost, certificate, stated)
    words = schema_in_words(cost) + " for the schema" + (f", found for the group {public['schema_group_of']}" if "schema_group" in public else "")
    words += ", which was edited since" if "schema_edited" in public else ""
    if (unit, relation) != (certificate["unit"], certificate["neighbours"]):
        words += f", for the unit {unit} and {relation} neighbours"
    release = "description" if certificate["method"] == "describe" else "model"
    words += f", {schema_in_words(both)} together with this {release}" if both else f", which does not add up with this {release}'s"
    if both and replaced:
        words += f" ({schema_in_words(replaced)} when one {'record is' if unit == 'item' else 'user' + chr(39) + 's records are'} replaced by any other)"
    if words != public.get("schema_cost"):
        raise Refused(f"assumed_public.schema_cost does not say what its facts come to: {words}")
    return words


# ---------------------------------------------------------------------------------------------------------------------
# Statements: docs/describe.md, "The file and its questions", docs/evaluate.md and docs/private_schema.md

ESTIMATES = ("count", "missing", "mean", "quantiles", "histogram", "categories")
ASKED = ("mean", "quantiles", "histogram", "categories")
HEAD = ("format", "version", "private", "guarantee", "unit", "neighbours", "assumptions", "schema_cost", "released", "certificate", "digest", "signature")
WEIGHT = 2.0**-20  # weights, and levels of quantiles, are multiples of it
MOST_UNITS = 2.0**33
POINTS = 4097  # that a quantile is chosen from
WHOLE_CELLS = 64  # a narrower range of whole numbers has a cell for each
LEAST_PROBABILITY = 0.01  # of a true class, in the log loss
STATED_FACTS = ("records", "users", "ledger_release", "column_names", "columns", "query", "group", "group_of", "some_record")


class Asked:
    """The questions of a statement: takes their steps and answers in order."""

    def __init__(self, certificate, notion, steps, answers):
        self.relation, self.people, self.notion = certificate["neighbours"], certificate["unit"] == "user", notion
        self.n = None
        name = "users" if self.people else "records"
        facts = certificate["assumed_public"]
        if ("users" if name == "records" else "records") in facts or (name in facts) != (self.relation != "add_remove"):
            raise Refused(f"assumed_public.{name} is stated where it is private, or missing")
        if name in facts:
            self.n = member(facts, name, int)
            if self.n < 1:
                raise Refused(f"assumed_public.{name} is {self.n}")
        if not isinstance(answers, list) or len(answers) != len(steps):
            raise Refused("there are not as many answers as steps")
        self.left = list(zip(steps, answers))

    def next(self, count):
        if not self.left:
            raise Refused("a question has no step")
        step, answer = self.left.pop(0)
        if not isinstance(answer, list) or len(answer) != count:
            raise Refused(f"an answer of {step.mechanism} does not have {count} numbers")
        if step.reason.startswith(("a record ", "a user")) and step.reason.startswith("a user") != self.people:
            raise Refused("a question was asked about another unit")
        return step, [number(x, "released") for x in answer]

    def vector(self, count, whole, replaced):
        """A sum of vectors: how far a unit moves it if one goes and one comes; 1 if one comes or goes."""
        step, answer = self.next(count)
        noise = "gaussian" if self.notion == "approx" else "geometric" if whole and not self.people else "laplace-vector"
        expect(step, noise, "gaussian" if self.notion == "approx" else "pure", replaced if self.relation == "replace_one" else 1,
               0, "l2" if self.notion == "approx" else "l1", count)
        noise_cost(step)
        fine_enough(step) if noise != "geometric" else is_text(step.grid, 1, "the grid of counts")
        if not all(on_grid(x, step.grid, 0) for x in answer):
            raise Refused("an answer does not lie on its grid")
        return answer

    def counts(self, count):
        return self.vector(count, True, math.sqrt(2) if self.notion == "approx" else 2)

    def mean(self, cells_may_be_empty):
        """The sum of numbers in [-1, 1] and the empty cells; with n private two sums that are not negative, and the cells."""
        return self.vector(3 if self.n is None else 2 if cells_may_be_empty else 1, False, 2)

    def quantile(self, level, points):
        step, answer = self.next(1)
        rounded = math.floor(level / WEIGHT + 0.5) * WEIGHT
        moved = 1.0 if self.relation == "replace_one" else max(rounded, 1 - rounded)
        expect(step, "exponential", "bounded-range", moved, 2 * U * (MOST_UNITS if self.n is None else self.n), "linf", points)
        choice_cost(step, MOST_UNITS if self.n is None else self.n)
        if not (answer[0].is_integer() and 0 <= answer[0] < points):
            raise Refused("a quantile is none of the points that it is chosen from")

    def cut(self, count):
        """To what a count can be."""
        return max(0.0, count if self.n is None else min(count, self.n))

    def finish(self):
        if self.left:
            raise Refused(f"{len(self.left)} steps belong to no question")


def told(estimate, expected, what, size=1.0):
    """A number with its interval; expected: the values that it may have, up to rounding at this size, None for any."""
    value, interval = member(estimate, "value", float), take(member(estimate, "interval", list), 2, what)
    low, high = (number(end, what) for end in interval)
    slip = 1e-9 * max(abs(low), abs(high), 1)
    if not low - slip <= value <= high + slip:
        raise Refused(f"{what} does not lie in its interval")
    if expected is not None and not any(abs(value - each) <= 1e-9 * max(abs(each), size) for each in expected):
        raise Refused(f"{what} is {value!r}, but the answers give {expected!r}")


def means(answer, asked, low, high):
    """What the released numbers lead to: with the empty cells, or none where they are within their noise."""
    if asked.n is None:
        pairs = [(answer[0] - answer[1], answer[0] + answer[1])]
    else:
        pairs = [(answer[0], asked.n - each) for each in {0.0, asked.cut(answer[1]) if len(answer) > 1 else 0.0}]
    return [low + (high - low) * ((min(1.0, max(-1.0, total / max(present, 1.0))) + 1) / 2) for total, present in pairs]


def points_over(limits, most):
    """docs/describe.md, "Points": at most so many from min to max, equal ones once."""
    low, high, whole, log = limits
    width = high - low
    if whole and width < most:
        points = [low + k for k in range(int(width) + 1)]
    else:
        shares = [k / (most - 1) for k in range(most)]
        points = [low + (exponential_less_one(u * math.log1p(width)) if log else u * width) for u in shares]
        points = [min(max(float(round(x)) if whole and x < math.inf else x, low), high) for x in points]
    return [x for k, x in enumerate(points) if k == 0 or x != points[k - 1]]


def exponential_less_one(x):
    try:
        return math.expm1(x)
    except OverflowError:
        return math.inf


def seconds(date):
    text = date if isinstance(date, str) else ""
    when = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (when if when.tzinfo else when.replace(tzinfo=datetime.timezone.utc)).timestamp()


def described(schema, group):
    """Name, kind and limits of the columns that a description asks about, the target last: min, max, whether whole, whether log1p."""
    target = schema.get("target") or {}
    columns = {name: column for name, column in member(schema, "columns", dict).items() if name != target.get("column")}
    if target.get("column") and "classes" in target:
        columns[target["column"]] = {"type": "categorical", "categories": target["classes"]}
    elif target.get("column") and "min" in target and "max" in target:
        columns[target["column"]] = {"type": "numeric", "min": target["min"], "max": target["max"]}
    for name, column in columns.items():
        kind = member(column, "type", str)
        if name == group or kind not in ("numeric", "date", "categorical"):
            continue
        if kind == "categorical":
            listed = [each for each in member(column, "categories", list) if each != "other"]  # which is what every unlisted one becomes
            if listed:
                yield name, kind, listed
        else:
            ends = [seconds(column[end]) if kind == "date" else member(column, end, float) for end in ("min", "max")]
            yield name, kind, (*ends, column.get("integer") is True, "transform" in column)


def check_description(file, certificate, notion, steps, answers):
    options, asked = certificate["options"], Asked(certificate, notion, steps, answers)
    wanted = member(options, "statistics", str).split(",")
    levels = [float(each) for each in member(options, "quantiles", str).split(",")]
    if not set(wanted) <= set(ASKED) or len(set(wanted)) < len(wanted) or not all(0 < q < 1 for q in levels) or sorted(set(levels)) != levels:
        raise Refused("the options ask for statistics or quantiles that there are not")
    if not 0 < member(options, "confidence", float) < 1 or file.get("confidence") != options["confidence"]:
        raise Refused("the confidence is not the certificate's")
    columns, cells = dict(member(file, "columns", dict)), member(options, "bins", int)
    units = asked.n if asked.n is not None else asked.cut(asked.counts(1)[0])
    told(member(file, "count", dict), [units], "count")
    for name, kind, known_of in described(member(file, "schema", dict), group_of(certificate)[0]):
        if not {"categorical": {"categories"}}.get(kind, {"mean", "quantiles", "histogram"}) & set(wanted):
            continue
        column = columns.pop(name, None)
        if not isinstance(column, dict):
            raise Refused(f"the column {name} is not described")
        known(column, (*ESTIMATES, "unit"), f"columns.{name}.")
        parts = (wanted, {"categorical": ("categories",)}.get(kind, ("mean", "quantiles", "histogram")))
        if {part for part in ASKED if all(part in each for each in parts)} != set(column) & set(ASKED):
            raise Refused(f"of the column {name} other statistics are told than were asked for")
        if kind == "categorical":
            check_categories(asked, name, column, known_of)
        else:
            check_numbers(asked, name, column, known_of, levels, cells)
        counted = set(column) & {"mean", "histogram", "categories"}  # quantiles alone do not tell
        if {"count", "missing"} & set(column) != ({"count", "missing"} if counted else set()):
            raise Refused(f"of the column {name} the present cells are told without an answer, or not told")
        for part in ("count", "missing") if counted else ():
            told(member(column, part, dict), None, f"{name}: {part}")
    if columns:
        raise Refused(f"nothing was asked of the column {next(iter(columns))}")
    asked.finish()


def check_categories(asked, name, column, categories):
    answer, listed = asked.counts(len(categories) + 2), dict(member(column, "categories", dict))
    for category, count in zip([*categories, "other"], answer):
        told(listed.pop(category, None), [asked.cut(count)], f"{name}: {category}")
    if listed:
        raise Refused(f"{name} has a category too many")


def check_numbers(asked, name, column, limits, levels, bins):
    low, high, whole, log = limits
    if not low < high < math.inf:
        raise Refused(f"the range of {name} is none")
    size = max(abs(low), abs(high))
    if "mean" in column:
        told(column["mean"], means(asked.mean(True), asked, low, high), f"{name}: mean", size)
    if "histogram" in column:
        each = whole and high - low < WHOLE_CELLS
        expected = points_over((low, high + 1, True, log), WHOLE_CELLS + 2) if each else points_over((low, high, False, log), bins + 1)
        edges, counts = (member(column["histogram"], part, list) for part in ("edges", "counts"))
        for edge, point in zip(take(edges, len(expected), f"the edges of {name}"), expected):
            if not abs(number(edge, "edges") - point) <= 1e-9 * size:
                raise Refused(f"an edge of {name} is {edge!r}, expected {point!r}")
        cells = len(expected) - 1
        for count, cell in zip(asked.counts(cells + 1), take(counts, cells, f"the counts of {name}")):
            told(cell, [asked.cut(count)], f"{name}: histogram")
    if "quantiles" in column:
        points = points_over(limits, POINTS)
        ends = list(take(column["quantiles"], len(levels), f"the quantiles of {name}").values())
        for level in levels:
            asked.quantile(level, len(points))
        for estimate in ends:
            told(estimate, None, f"{name}: a quantile")
        for below, above in zip(ends, ends[1:]):  # in order, but for what was cut to its own interval
            if below["value"] > above["value"] and below["value"] != below["interval"][0] and above["value"] != above["interval"][1]:
                raise Refused(f"the quantiles of {name} are not in order")


def check_evaluation(file, certificate, notion, steps, answers):
    options, asked = certificate["options"], Asked(certificate, notion, steps, answers)
    if not re.fullmatch("sha256:[0-9a-f]{64}", str(certificate["assumed_public"].get("model_digest"))):
        raise Refused("assumed_public.model_digest is not the digest of a model")
    classifies, probabilities, two, reach = (options.get(name) for name in ("classifies", "probabilities", "two_classes", "range"))
    if not all(isinstance(each, bool) for each in (classifies, probabilities, two)) or (not classifies and (probabilities or two)):
        raise Refused("the options are those of no model")
    reach, intervals = plain_number(reach, "range"), member(file, "intervals", dict)
    if not sys.float_info.min <= reach * reach < math.inf or reach < 0 or file.get("confidence") != member(options, "confidence", float) or not 0 < options["confidence"] < 1:
        raise Refused("the range or the confidence is none")

    def score(name, expected):
        told({"value": member(file, name, float), "interval": intervals.get(name)}, expected, name)

    def mean(high):
        return means(asked.mean(False), asked, 0.0, high)

    names = {"rmse", "mae"} if not classifies else {"accuracy"} | ({"log_loss"} if probabilities else set()) | ({"auc"} if two else set())
    if classifies:
        score("accuracy", mean(1.0))
        if probabilities:
            score("log_loss", mean(-math.log(LEAST_PROBABILITY)))
        if two:
            asked.counts(2 * member(options, "cells", int))
            told({"value": member(file, "auc", float), "interval": intervals.get("auc")}, None, "auc")
            if probabilities:
                check_calibration(take(member(file, "calibration", list), options["cells"], "the calibration"))
    else:
        squares, sizes = mean(reach**2), mean(reach)
        most = number(take(member(intervals, "rmse", list), 2, "rmse")[1], "rmse")
        # At least the mae, as a root of a mean of squares is, but within its own interval.
        score("rmse", [min(max(math.sqrt(squares[0]), sizes[0]), most)])
        score("mae", sizes)
    if set(intervals) != names or names != set(file) & {"accuracy", "log_loss", "auc", "rmse", "mae"}:
        raise Refused("other scores are told than were asked for")
    asked.finish()


def check_calibration(cells):
    for k, cell in enumerate(cells):
        is_text((cell.get("low"), cell.get("high")), (k / len(cells), (k + 1) / len(cells)), "a cell")
        for part in ("count", "share"):
            if part in cell:
                told(cell[part], None, f"calibration: {part}")


def group_of(certificate):
    """Column and value; empty without a group."""
    column, _, value = certificate["assumed_public"].get("group_of", "").partition("=")
    return column, value


def check_found(file, certificate, notion, steps, answers, cost, target):
    """A schema that was found: the questions about its columns, but for that of the group, which has one category."""
    Asked(certificate, notion, [], [])  # the number of units is stated where it is public
    columns, (group, value) = dict(member(file, "columns", dict)), group_of(certificate)
    if (certificate["unit"] == "user") != ("user" in file):
        raise Refused("the unit does not go with the schema's user column")
    if group and columns.pop(group, {}).get("categories") != [value]:
        raise Refused("the group is not the one category of its column")
    asked = [{"classes": member(file, "target", dict).get("classes", ())}] if target else []
    check_search(in_order(columns) + asked, answers, certificate, steps, notion, cost)


def budget_of(options, notion, prefix=""):
    return {name: plain_number(options.get(prefix + name), prefix + name) for name in BUDGET[notion]}


def check_parts(file, certificate, notion, steps):
    """A description that found its schema first: two steps, each with its own within it."""
    options = certificate["options"]
    parts = [budget_of(options, notion, prefix) for prefix in ("range_", "")]
    for step, name, cost in zip(take(steps, 2, "a description without a schema"), ("private-ranges", "description"), parts):
        if not step.inner and name == "description":  # nothing was left to be asked about
            is_text((step.mechanism, step.rule), (name, None), "a step and its rule")
        else:
            formal(step, name, "composed", notion)
        is_text({k: v for k, v in step.event.items() if k != "kind"}, cost, f"the event of {name}")
        if step.inner and spent(step.inner, notion, cost)["epsilon"] > cost["epsilon"] * (1 + 1e-9):
            raise Refused(f"the event of {name} does not cover the steps within it")
    is_text(file.get("cost"), {part: {"notion": notion, **cost} for part, cost in zip(("schema", "description"), parts)}, "cost")
    answers = member(file, "ranges", dict)
    known(answers, ("released", "released_texts"), "ranges.")
    check_found(member(file, "schema", dict), certificate, notion, steps[0].inner, answers, parts[0], False)
    check_description(file, certificate, notion, steps[1].inner, file["released"])


DESCRIBES = ("neighbours", "statistics", "quantiles", "bins", "confidence")
SCORES = ("neighbours", "classifies", "probabilities", "two_classes", "range", "cells", "confidence")
STATEMENTS = {  # the method, its options, facts of its own, further members of the file
    "tacit-description": ("describe", DESCRIBES, (), ("confidence", "count", "columns", "left_out", "schema", "cost", "notes", "ranges")),
    "tacit-evaluation": ("evaluate", SCORES, ("model_digest", "schema_drafted_from_data", "header", "separator"),
                         ("accuracy", "log_loss", "auc", "rmse", "mae", "calibration", "intervals", "confidence", "constant", "constant_intervals")),
    "tacit-schema": ("schema", ("neighbours", "classes_stated"), (), ("columns", "target", "user", "others", "unreadable", "decimal", "left_out", "notes", "released_texts")),
}


def check_statement(file, certificate, kind):
    method, names, facts, members = STATEMENTS[kind]
    notion, stated, steps = promise(certificate)
    options, public = certificate["options"], certificate["assumed_public"]
    if notion not in ("pure", "approx"):
        raise Refused(f"a statement has no {notion} privacy")
    is_text(certificate["method"], method, "the method")
    is_text(options.get("neighbours"), certificate["neighbours"], "options.neighbours")
    known(file, (*HEAD, *members), "")
    finds = kind == "tacit-description" and "range_epsilon" in options
    budget = {*BUDGET[notion], *("range_" + name for name in BUDGET[notion] if finds)}
    if set(options) != {*names, *budget}:
        raise Refused("the options have a name too many, or one too few")
    takes_schema = kind == "tacit-description" and not finds
    if kind != "tacit-evaluation":
        check_schema(file["schema"] if kind == "tacit-description" else {name: file[name] for name in SCHEMA if name in file})
    known(public, (*STATED_FACTS, *facts, *(name for name in FACTS if takes_schema and name.startswith("schema_"))), "assumed_public.")
    check_group(public, certificate["unit"], schema=file["schema"] if kind == "tacit-description" else None)
    if takes_schema and (file["schema"].get("drafted_from_data") is True) != (public.get("schema_drafted_from_data") is True):
        raise Refused("the file and its certificate state different sources of the schema")
    if finds:
        check_parts(file, certificate, notion, steps)
    elif kind == "tacit-description":
        check_description(file, certificate, notion, steps, member(file, "released", list))
    elif kind == "tacit-evaluation":
        check_evaluation(file, certificate, notion, steps, member(file, "released", list))
    else:
        target, public_classes = file.get("target"), options["classes_stated"]
        if not isinstance(public_classes, bool) or (public_classes and not (target or {}).get("classes")):
            raise Refused("the classes are stated, but there are none")
        check_found(file, certificate, notion, steps, file, budget_of(options, notion), target is not None and not public_classes)
    found = account(notion, [(step.event, 1) for step in steps], stated)
    check_replaced(certificate, steps, notion, stated, 2)
    asked = budget_of(options, notion)
    if finds:
        asked = {name: asked[name] + more for name, more in budget_of(options, notion, "range_").items()}
    for name, value in asked.items():
        room = LOOSE * 10 if finds and name == "delta" else SAFE  # each part's delta is rounded down
        if not value * (1 - 2e-3) <= stated[name] <= value * (1 + room):
            raise Refused(f"the options ask for {name} = {value!r}, but the guarantee states {stated[name]!r}")
    schema = check_schema_cost(certificate, stated)  # whose words follow from the guarantee
    check_sentences(file, certificate, schema)
    return what_holds(certificate, {"notion": notion, **stated}, found, schema)


def check_sentences(file, certificate, schema):
    """The assumptions are those that the facts lead to, no more and no less; and the file repeats its certificate."""
    public = certificate["assumed_public"]
    if sorted(certificate["assumptions"]) != sorted(sentence for name, value, sentence in SENTENCES if public.get(name) == value):
        raise Refused("the assumptions are not those that assumed_public leads to")
    for name, value, _ in SENTENCES:
        if name in public and public[name] != value:
            raise Refused(f"assumed_public.{name} is {public[name]!r}")
    for name in ("private", "unit", "neighbours", "assumptions"):
        is_text(file.get(name), certificate[name], name)
    is_text({k: v for k, v in member(file, "guarantee", dict).items() if k != "sentence"}, certificate["guarantee"], "guarantee")
    stated = {k: number(certificate["guarantee"][k], k) for k in BUDGET[certificate["guarantee"]["notion"]]}
    check_words(member(file["guarantee"], "sentence", str), certificate, stated)
    if (schema is None) != ("schema_cost" not in file) or (schema and member(file["schema_cost"], "sentence", str) != schema):
        raise Refused("schema_cost is not what the certificate states")
    if schema:
        check_told_cost(member(file, "schema_cost", dict), certificate, stated)


def check_words(sentence, certificate, stated):
    """The guarantee as a sentence: its numbers, whose records, and what becomes of them."""
    people, kept = certificate["unit"] == "user", "their places" if certificate["unit"] == "user" else "its place"
    change = {"replace_one": "replaced by any other", "zero_out": f"left out and {kept} kept", "add_remove": "added or removed"}[certificate["neighbours"]]
    words = f", when {'all records of one user are' if people else 'one record is'} {change}."
    numbers = ", ".join(f"{k} = {repr(v) if k == 'delta' else six_digits_up(v)}" for k, v in stated.items())
    if "delta" in stated:
        holds = sentence == f"Approximate differential privacy, {numbers}{words}"
    else:
        begin, end = f"Pure differential privacy, {numbers}: no outcome is more than ", f" times as likely{words}"
        factor = sentence[len(begin) : -len(end)] if sentence.startswith(begin) and sentence.endswith(end) else "0"
        least = math.exp(min(stated["epsilon"], 700.0)) * (1 - 1e-12)
        holds = factor == "e^epsilon" or (re.fullmatch(r"[0-9.e+]+", factor) is not None and float(factor) >= least)
    if not holds:
        raise Refused("the guarantee's sentence does not say what the guarantee is")


def check_fit(model, certificate, steps, notion, stated, version):
    method, relation = certificate["method"], certificate["neighbours"]
    check_offer(method, certificate, notion, relation)
    check_names(method, certificate["options"], certificate["assumed_public"], notion)
    check_kinds(method, certificate["options"], certificate["assumed_public"], model)
    fit = Fit(certificate["options"], certificate["assumed_public"], notion, relation, version)
    if version == 1 and any(step.inner for step in steps):
        fit.version = 2
    METHODS[method][2](fit, steps)
    for step in steps:
        check_nesting(step)
    check_assumptions(fit, method, certificate["assumptions"])
    found = account(notion, [(step.event, 1) for step in steps], stated)
    check_budget(fit, notion, stated, steps)
    check_model(model, fit, method, steps)
    return found


def check_offer(method, certificate, notion, relation):
    if method not in METHODS:
        raise Refused(f'the method "{method}" is unknown')
    unit, offers, _, _, _ = METHODS[method]
    is_text(certificate["unit"], unit, "the unit")
    if notion not in offers or relation not in offers[notion]:
        raise Refused(f"{method} does not offer {notion} privacy for {relation}")
    if "neighbours" in certificate["options"]:
        is_text(certificate["options"]["neighbours"], relation, "options.neighbours")
    elif relation != "replace_one" and method not in ("o2nc-sampled",):
        raise Refused(f"the options do not say that the fit was for {relation}")


def in_digits(guarantee):
    return ", ".join(f"{name} = {six_digits_up(number(value, name))}" for name, value in guarantee.items() if name != "notion")


SIGNATURES = {"none": "not signed", "unchecked": "the signature was not checked (--key PUBLIC.pem)"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="+", metavar="FILE", help="models, descriptions, evaluations, private schemas")
    parser.add_argument("--json", action="store_true", help="print one JSON object a file")
    parser.add_argument("--key", help="the signer's public key (PEM): check the signatures, too")
    arguments = parser.parse_args()
    codes, key = [], None
    if arguments.key:
        key, missing = public_key(arguments.key)
        if missing:
            print(f"verify_independent.py: {missing[1]}", file=sys.stderr)
            return missing[0]
    for path in arguments.model:
        try:
            result, code = {"file": path, **verify(path, key)}, 0
        except Refused as reason:
            result, code = {"file": path, "private": False, "reason": str(reason)}, 1
        except Malformed as reason:
            result, code = {"file": path, "private": False, "reason": str(reason)}, 65
        codes.append(code)
        if arguments.json:
            print(json.dumps(result))
        elif code == 0:
            print(f"{path}: holds: {result['guarantee']['notion']}, {in_digits(result['guarantee'])}; {result['neighbours']}, unit {result['unit']}, {result['method']}")
            if "replaced" in result:
                print(f"{path}: {in_digits(result['replaced'])} when one unit is replaced by any other")
            if "group" in result:
                print(f"{path}: for the group {result['group']['column']}={result['group']['value']} alone")
            if "schema_cost" in result:
                print(f"{path}: the schema was found privately, too: {result['schema_cost']}")
            for sentence in result["assumptions"]:
                print(f"{path}: assumed: {sentence}")
            if result["signature"] != "valid":
                print(f"{path}: {SIGNATURES[result['signature']]}: anyone who can write the file can state anything")
        else:
            print(f"{path}: {'does not hold' if code == 1 else 'no certificate'}: {result['reason']}")
    return max(codes)


if __name__ == "__main__":
    try:
        code = main()
        print(end="", flush=True)
    except BrokenPipeError:  # whoever reads has seen enough; what Python would flush at its end goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 74
    sys.exit(code)
