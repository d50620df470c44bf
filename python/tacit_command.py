#!python
# The command `tacit` of a wheel: the tool lies in the package, which is found without being imported.
import importlib.util
import os
import sys

tool = os.path.join(importlib.util.find_spec("tacit").submodule_search_locations[0], "bin", "tacit")
os.execv(tool, ["tacit", *sys.argv[1:]])
