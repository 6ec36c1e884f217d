"""Acting as the owner of a folder in a process of root.

A folder that the service may write can hold links to anything. Followed by root, they would let the
service read, write or own every file of the machine; followed as its owner, they lead nowhere else.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from pwd import getpwuid


class PrivateFolder:
    """A folder of the owner, through which root passes files in and out."""

    def __init__(self, folder: Path, user: int, group: int) -> None:
        self.folder = folder
        self._user = user
        self._group = group

    def become_owner(self) -> None:
        os.setgroups([self._group])
        with suppress(KeyError):  # a user without a name has no other groups
            os.initgroups(getpwuid(self._user).pw_name, self._group)
        os.setegid(self._group)
        os.seteuid(self._user)

    def bring(self, path: Path, ends: tuple[str, ...]) -> Path:
        """Copy files with these endings in, those as root that the owner may not read."""
        for end in ends:
            part, brought = path.with_name(path.name + end), self.folder / (path.name + end)
            try:
                shutil.copyfile(part, brought)
            except FileNotFoundError:
                continue
            except PermissionError:
                _become_root()
                try:
                    if os.path.lexists(part):
                        _copy(part, brought)
                        os.chown(brought, self._user, self._group)
                finally:
                    self.become_owner()
        return self.folder / path.name

    def fetch(self, made: Path, target: Path) -> None:
        """Copy a file out as root."""
        _become_root()
        try:
            _copy(made, target)
        finally:
            self.become_owner()


@contextmanager
def acting_as_owner(folder: Path) -> Iterator[PrivateFolder | None]:
    """Act as the folder's owner if this is root and the folder is another's; else yield None."""
    status = folder.stat() if folder.exists() else None
    if os.geteuid() != 0 or status is None or status.st_uid == 0:
        yield None
        return
    groups = os.getgroups()
    with tempfile.TemporaryDirectory(prefix="centerpiece-") as name:
        os.chown(name, status.st_uid, status.st_gid)
        private = PrivateFolder(Path(name), status.st_uid, status.st_gid)
        private.become_owner()
        try:
            yield private
        finally:
            _become_root()
            os.setgroups(groups)


def _become_root() -> None:
    os.seteuid(0)
    os.setegid(0)


def _copy(path: Path, target: Path) -> None:
    """Copy a plain file that is no link."""
    with (
        os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as source,
        target.open("wb") as copy,
    ):
        shutil.copyfileobj(source, copy)
