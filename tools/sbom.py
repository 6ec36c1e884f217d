"""Write the bill of materials as CycloneDX JSON: `python tools/sbom.py > sbom.cdx.json`.

Made from requirements.lock alone, so that the same commit gives the same bytes: what a hub may
install, which version, and the hash of every file it may come in. `tools/release.py` puts it into
the archive.
"""

import json
import re
import sys
import tomllib
import uuid
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_ENTRY = re.compile(r"^([a-z0-9-]+)==(\S+)([^\n]*(?:\n    --hash[^\n]*)*)", re.MULTILINE)
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_OID, "centerpiece")


def sbom(source: Path, lock: str) -> bytes:
    """Return the document for sources and their lock."""
    with open(source / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    name, version = project["name"], project["version"]
    parts = [_component(*entry) for entry in _ENTRY.findall(lock)]
    own = {
        "type": "firmware",
        "bom-ref": f"{name}@{version}",
        "name": name,
        "version": version,
        "description": project["description"],
    }
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(_NAMESPACE, version + lock)}",
        "version": 1,
        "metadata": {"component": own},
        "components": parts,
        "dependencies": [
            {"ref": own["bom-ref"], "dependsOn": [part["bom-ref"] for part in parts]},
            *({"ref": part["bom-ref"]} for part in parts),
        ],
    }
    return json.dumps(document, indent=1, sort_keys=True).encode() + b"\n"


def _component(name: str, version: str, rest: str) -> dict[str, Any]:
    hashes = re.findall(r"sha256:([0-9a-f]{64})", rest)
    return {
        "type": "library",
        "bom-ref": f"pkg:pypi/{name}@{version}",
        "purl": f"pkg:pypi/{name}@{version}",
        "name": name,
        "version": version,
        "hashes": [{"alg": "SHA-256", "content": each} for each in hashes],
    }


if __name__ == "__main__":
    sys.stdout.buffer.write(sbom(ROOT, (ROOT / "requirements.lock").read_text("utf-8")))
