"""The pictures of looks and faces in the documents are what the chain is sent."""

from pathlib import Path

import pytest

from tests.pictures import drawn

pytestmark = pytest.mark.real_time("threads that read and write devices")

DOCS = Path(__file__).parent.parent.parent / "docs"


@pytest.fixture(scope="module")
def pictures():
    return drawn()


@pytest.mark.parametrize("name", ["looks.svg", "faces.svg"])
def test_the_committed_picture_is_drawn_from_what_leaves_for_the_chain(pictures, name):
    """A change of any look or face shows here; draw anew with `python -m tests.pictures docs/`."""
    assert (DOCS / name).read_text(encoding="utf-8") == pictures[name]
