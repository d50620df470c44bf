#!/bin/sh
# An image's layout holds what it names: every digest is its content's, layers are the ones that were given, the same input gives
# the same bytes, and another layer another image. usage: image_test.sh SOURCE
set -eu
oci=$1/scripts/oci
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export SOURCE_DATE_EPOCH=1700000000
for name in base tool; do
  mkdir $name
  echo "$name" > $name/file
  tar -C $name --mtime=@0 -cf $name.tar .
done
"$oci" first base.tar tool.tar -- tacit
"$oci" second base.tar tool.tar -- tacit
diff -r first second
"$oci" other tool.tar -- tacit
! diff -rq first other > /dev/null || { echo "another layer gives the same image" >&2; exit 1; }
! "$oci" third base.tar > /dev/null 2>&1 || { echo "an image without an entry point is made" >&2; exit 1; }
python3 - <<'PYTHON'
import gzip, hashlib, json, pathlib

folder = pathlib.Path("first")


def content(descriptor):
    data = (folder / "blobs/sha256" / descriptor["digest"].removeprefix("sha256:")).read_bytes()
    assert "sha256:" + hashlib.sha256(data).hexdigest() == descriptor["digest"] and len(data) == descriptor["size"]
    return data


assert json.loads((folder / "oci-layout").read_text()) == {"imageLayoutVersion": "1.0.0"}
manifest = json.loads(content(json.loads((folder / "index.json").read_text())["manifests"][0]))
config = json.loads(content(manifest["config"]))
layers = [gzip.decompress(content(layer)) for layer in manifest["layers"]]
assert layers == [pathlib.Path(name).read_bytes() for name in ("base.tar", "tool.tar")]
assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest() for layer in layers]
assert config["config"]["User"] == "1000:1000" and config["config"]["Entrypoint"] == ["tacit"]
PYTHON
echo "image: the layout is whole, and the same twice"
