"""Pictures without a domino: common mistakes, and empty tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from tests.photo.photographs import LEVELS, Photograph, bare_table, clouds

WIDTH, HEIGHT = 400, 300
BARE = ("oak", "checks", "stone")


def pictures() -> dict[str, Photograph]:
    """By name: plain, noise, bare tables, a page of text, a form, an animal."""
    images = {
        "black": Image.new("RGB", (WIDTH, HEIGHT), "black"),
        "noise": _noise(),
        **{kind: bare_table(7, replace(LEVELS["fair"], tables=(kind,)), WIDTH) for kind in BARE},
        "page": _page(),
        "form": _form(),
        "animal": _animal(),
    }
    return {name: Photograph(image, 9, "fair") for name, image in images.items()}


def _noise() -> Image.Image:
    dots = np.random.default_rng(3).integers(0, 256, (HEIGHT // 3, WIDTH // 3, 3), dtype=np.uint8)
    return Image.fromarray(dots).resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)


def _page() -> Image.Image:
    """Lines of words, as a printer sets them."""
    rng = np.random.default_rng(3)
    image = Image.new("RGB", (WIDTH, HEIGHT), (246, 244, 238))
    draw = ImageDraw.Draw(image)
    for y in range(25, HEIGHT - 25, 14):
        words = ["".join(rng.choice(list("aeinorst"), rng.integers(2, 9))) for _ in range(9)]
        draw.text((30, y), " ".join(words)[:55], (30, 30, 34))
    return image


def _form() -> Image.Image:
    """Boxes of two to one, with a number in each."""
    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(image)
    for x in range(30, WIDTH - 80, 60):
        for y in range(30, HEIGHT - 40, 30):
            draw.rectangle((x, y, x + 60, y + 30), outline=(40, 40, 40), width=2)
            draw.text((x + 9, y + 9), str((x + y) % 13), (20, 20, 20))
    return image


def _animal() -> Image.Image:
    """Blobs of fur on grass."""
    rng = np.random.default_rng(20)
    ys, xs = np.mgrid[0:HEIGHT, 0:WIDTH]
    grass = sum(clouds(rng, WIDTH, HEIGHT, grain) * 25 for grain in (50, 10, 3))
    picture = np.array((90, 130, 60)) + np.asarray(grass)[..., None]
    for at in range(9):
        x, y = rng.normal(200, 55), rng.normal(160, 40)
        across, down = rng.uniform(16, 70, 2)
        round_it = ((xs - x) / across) ** 2 + ((ys - y) / down) ** 2
        edge = round_it + 0.15 * clouds(rng, WIDTH, HEIGHT, 8)
        colour = np.array([(150, 105, 60), (190, 150, 100), (70, 45, 30), (230, 215, 190)][at % 4])
        fur = colour + 18 * clouds(rng, WIDTH, HEIGHT, 3)[..., None]
        picture = np.where(edge[..., None] < 1, fur, picture)
    image = Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8))
    return image.filter(ImageFilter.GaussianBlur(1))
