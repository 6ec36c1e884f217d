"""Acting as the owner of a folder in a process of root.

A folder that the service may write can hold links to anything. Followed by root, they would let the
service read, write or own every file of the machine; followed as its owner, they lead nowhere else.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from pwd import getpwuid


class FolderOwner:
    """The user that root acts as; files of root's pass in and out through a private folder.

    Root only opens files there, and creates none: the owner might put a link in their place.
    """

    def __init__(self, user: int, group: int) -> None:
        self._user = user
        self._group = group
        self._private: tempfile.TemporaryDirectory[str] | None = None

    @cached_property
    def folder(self) -> Path:
        """The private folder, made when it is needed."""
        self._private = tempfile.TemporaryDirectory(prefix="centerpiece-")
        return Path(self._private.name)

    def bring(self, path: Path, ends: tuple[str, ...]) -> Path:
        """Copy `path` with each of the `ends` added to its name into the owner's private folder.

        Files that only root may read are copied too, missing ones skipped. Return the path of the
        copies without an ending.
        """
        for end in ends:
            part = path.with_name(path.name + end)
            with suppress(FileNotFoundError):
                try:
                    source = os.open(part, os.O_RDONLY)
                except PermissionError:
                    source = self._as_root(partial(os.open, part, os.O_RDONLY | os.O_NOFOLLOW))
                _copy(source, _create(self.folder / part.name))
        return self.folder / path.name

    def fetch(self, made: Path, target: Path) -> None:
        """Copy a file out, to a new file of root's."""
        source = os.open(made, os.O_RDONLY)
        _copy(source, self._as_root(partial(_create, target)))

    def become(self) -> None:
        """Act with the owner's rights from now on."""
        os.setgroups([self._group])
        with suppress(KeyError):  # a user without a name has no other groups
            os.initgroups(getpwuid(self._user).pw_name, self._group)
        os.setegid(self._group)
        os.seteuid(self._user)

    def close(self) -> None:
        if self._private is not None:
            self._private.cleanup()

    def _as_root(self, function: Callable[[], int]) -> int:
        """Call `function` with root's rights, then act as the owner again; return its result."""
        _become_root()
        try:
            return function()
        finally:
            self.become()


@contextmanager
def acting_as_owner(folder: Path) -> Iterator[FolderOwner | None]:
    """Act as the owner of `folder` until the end, if this process is root's and the folder is not.

    Yield the owner; None, and change nothing, if the process is not root's, or the folder is root's
    or missing.
    """
    status = folder.stat() if folder.exists() else None
    if os.geteuid() != 0 or status is None or status.st_uid == 0:
        yield None
        return
    groups, owner = os.getgroups(), FolderOwner(status.st_uid, status.st_gid)
    owner.become()
    try:
        yield owner
    finally:
        owner.close()
        _become_root()
        os.setgroups(groups)


def _become_root() -> None:
    os.seteuid(0)
    os.setegid(0)


def _create(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)


def _copy(source: int, target: int) -> None:
    with os.fdopen(source, "rb") as content, os.fdopen(target, "wb") as copy:
        shutil.copyfileobj(content, copy)
