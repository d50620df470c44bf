"""Type hints: all of them, and a stub that is the compiled half's."""

import ast
import inspect
import os
import pathlib

import pytest

import tacit
from tacit import _core

PACKAGE = pathlib.Path(tacit.__file__).parent
SOURCES = sorted(PACKAGE.glob("*.py"))


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").exists() and (PACKAGE / "_core.pyi").exists()
    assert {path.name for path in SOURCES} == {
        path.name for path in (pathlib.Path(os.environ["TACIT_SOURCE"]) / "python" / "tacit").glob("*.py")
    }


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_every_function_states_its_types(path):
    lacking = []
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
        arguments = [a for a in every if a is not None and a.arg not in ("self", "cls")]
        lacking += [f"{node.name}({a.arg})" for a in arguments if a.annotation is None]
        lacking += [node.name] if node.returns is None else []
    assert not lacking


def stated(body):
    """Names of a stub's functions, classes and values, and of the classes' members."""
    names = set()
    for node in body:
        if isinstance(node, ast.ClassDef):
            names |= {node.name} | {f"{node.name}.{part.name}" for part in node.body if isinstance(part, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
    return {name for name in names if not name.endswith(".__init__")}


def made():
    names = set()
    for name, value in vars(_core).items():
        if name.startswith("_") or (inspect.isclass(value) and issubclass(value, BaseException)):
            continue
        names.add(name)
        if inspect.isclass(value):
            names |= {f"{name}.{part}" for part in vars(value) if not part.startswith("_")}
    return names


def test_the_stub_has_what_the_compiled_half_has():
    assert stated(ast.parse((PACKAGE / "_core.pyi").read_text()).body) == made()
