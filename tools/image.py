"""Write a card's image from two folders, without a mount or a loop device: `make image`.

    python tools/image.py ROOT BOOT OUTPUT.img [--pack]

A FAT partition with the files of BOOT, which any computer can read, an ext4 one with ROOT, which
grows to the end of the card at the first start, and before it an empty one for the games, so that
the root can be made read-only. The same folders give the same bytes: what
the tools would take from the clock or from chance is fixed here.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

MEBIBYTE = 1 << 20
FIRST = 4
"""MiB before the first partition, as Raspberry Pi OS has it: a multiple of a card's own blocks."""
BOOT_SIZE = 256
"""MiB of the boot partition: firmware, kernel, and room for an archive to update from."""
GAMES_SIZE = 256
"""MiB of the partition for the games: some thousand evenings, and what the hub learned to say."""
SPARE = 64
"""MiB that are free on the root before it has grown; a first start writes a little."""
DISK = "c3e7a11e"
"""The disk's number; the root is PARTUUID=c3e7a11e-02, the games are on c3e7a11e-03."""
BOOT_LABEL, ROOT_LABEL, GAMES_LABEL = "bootfs", "rootfs", "games"
ROOT_UUID = "c3e7a11e-0002-4000-8000-000000000000"
GAMES_UUID = "c3e7a11e-0003-4000-8000-000000000000"


class ImageError(Exception):
    """The image cannot be written; the message says why."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Write a card's image.")
    parser.add_argument("root", type=Path)
    parser.add_argument("boot", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--pack", action="store_true", help="also OUTPUT.xz, and its os-list.json")
    parser.add_argument("--level", default="6", help="how hard xz tries; default: 6")
    options = parser.parse_args()
    try:
        write(options.root, options.boot, options.output, _epoch())
        if options.pack:
            packed = pack(options.output, options.level)
            listed = options.output.with_name("os-list.json")
            listed.write_text(os_list(options.output, packed), "utf-8")
            print(f"{_digest(packed)}  {packed}, {packed.stat().st_size / 1e6:.0f} MB")
    except (ImageError, OSError) as error:
        print(f"image: {error}", file=sys.stderr)
        return 1
    return 0


def _epoch() -> int:
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        raise ImageError("SOURCE_DATE_EPOCH must say the image's time, in seconds since 1970")
    return int(given)


def write(root: Path, boot: Path, output: Path, epoch: int) -> None:
    """Write the image of these two folders."""
    with tempfile.TemporaryDirectory(dir=output.parent) as scratch:
        first, second, third = (Path(scratch) / name for name in ("boot", "root", "games"))
        fat(boot, first, epoch)
        ext4(root, second, epoch)
        no_games(third, epoch)
        games = FIRST + BOOT_SIZE
        rest = games + GAMES_SIZE
        size = second.stat().st_size // MEBIBYTE
        output.unlink(missing_ok=True)
        with open(output, "wb") as file:
            file.truncate((rest + size) * MEBIBYTE)
        table = (
            f"label: dos\nlabel-id: 0x{DISK}\n"
            f"start={FIRST}MiB, size={BOOT_SIZE}MiB, type=c, bootable\n"
            f"start={rest}MiB, size={size}MiB, type=83\n"
            f"start={games}MiB, size={GAMES_SIZE}MiB, type=83\n"
        )
        run("sfdisk", "-q", output, said=table)
        for part, start in ((first, FIRST), (second, rest), (third, games)):
            where = (f"of={output}", f"seek={start}", "bs=1M", "conv=notrunc,sparse")
            run("dd", f"if={part}", *where, "status=none")


def fat(boot: Path, output: Path, epoch: int) -> None:
    """Write a FAT file system with a folder's files."""
    with open(output, "wb") as file:
        file.truncate(BOOT_SIZE * MEBIBYTE)
    name = ("-n", BOOT_LABEL, "-i", DISK)
    run("mkfs.vfat", "-F", "32", *name, "--invariant", output)
    fixed = {"SOURCE_DATE_EPOCH": str(epoch), "TZ": "UTC", "MTOOLS_SKIP_CHECK": "1"}
    for each in sorted(boot.iterdir()):
        run("mcopy", "-s", "-Q", "-i", output, each, "::", **fixed)


def ext4(root: Path, output: Path, epoch: int) -> None:
    """Write an ext4 file system with a folder's files and some free space."""
    said = run("du", "--summarize", "--block-size=1M", "--one-file-system", root)
    size = int(int(said.split()[0]) * 1.06) + SPARE
    size += -size % 4
    _formatted(output, size, epoch, ROOT_LABEL, ROOT_UUID, "-m", "1", "-d", root)


def no_games(output: Path, epoch: int) -> None:
    """Write an empty file system for the games."""
    _formatted(output, GAMES_SIZE, epoch, GAMES_LABEL, GAMES_UUID, "-m", "0")


def _formatted(
    output: Path, size: int, epoch: int, label: str, uuid: str, *more: str | Path
) -> None:
    fixed = ("-U", uuid, "-E", f"hash_seed={uuid}", "-L", label)
    time = {"E2FSPROGS_FAKE_TIME": str(epoch)}
    run("mke2fs", "-q", "-t", "ext4", *fixed, *more, output, f"{size}M", **time)
    run("debugfs", "-w", "-f", "-", output, said=timeless(output, epoch), **time)


def timeless(file_system: Path, epoch: int) -> str:
    """Return debugfs commands that give all inodes the same times."""
    fields = ("atime", "ctime", "crtime")
    return "".join(
        f"set_inode_field <{inode}> {field} @{epoch}\n"
        for inode in used_inodes(file_system)
        for field in fields
    )


def used_inodes(file_system: Path) -> list[int]:
    """Return the inodes in use: all but those that dumpe2fs lists as free."""
    said = run("dumpe2fs", file_system)
    count = int(said.partition("Inode count:")[2].split()[0])
    free: set[int] = set()
    for line in said.splitlines():
        if line.startswith("  Free inodes:"):
            for part in line.partition(":")[2].replace(",", " ").split():
                low, _, high = part.partition("-")
                free.update(range(int(low), int(high or low) + 1))
    return [n for n in range(1, count + 1) if n not in free and (n == 2 or n > 10)]


def run(*command: object, said: str | None = None, **more: str) -> str:
    """Run a program; return its output, or raise ImageError with it."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words,
            input=said,
            capture_output=True,
            text=True,
            errors="replace",
            env={**os.environ, "LC_ALL": "C", **more},
            check=False,
        )
    except FileNotFoundError:
        raise ImageError(f"{words[0]} is missing; 'make test-needs' installs it") from None
    if done.returncode:
        raise ImageError(f"{' '.join(words[:2])} … failed: {done.stderr.strip()[-400:]}")
    return done.stdout


def pack(image: Path, level: str) -> Path:
    """Compress the image with one thread, which gives the same bytes on any machine."""
    run("xz", "--keep", "--force", "--threads=1", f"-{level}", image)
    return image.with_name(f"{image.name}.xz")


BOARDS = ("pi3-64bit", "pi4-64bit", "pi5-64bit")
"""As Raspberry Pi Imager names those that this image is for; a Zero 2 W counts as a Pi 3."""


def os_list(image: Path, packed: Path) -> str:
    """Return the entry for Raspberry Pi Imager's repository file."""
    version = image.stem.partition("-")[2]
    entry = {
        "name": f"Table centerpiece {version}",
        "description": "The firmware of a digital table centerpiece for domino games",
        "icon": "",
        "url": packed.resolve().as_uri(),
        "extract_size": image.stat().st_size,
        "extract_sha256": _digest(image),
        "image_download_size": packed.stat().st_size,
        "image_download_sha256": _digest(packed),
        "release_date": _day(_epoch()),
        "init_format": "cloudinit",
        "devices": list(BOARDS),
    }
    return json.dumps({"os_list": [entry]}, indent=2) + "\n"


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _day(epoch: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(epoch, UTC).date().isoformat()


if __name__ == "__main__":
    sys.exit(main())
