"""An evening as it is heard: every cue and every sentence, with the time.

Runs a scenario and listens to the simulated hub's sound, so that what was cut short or replaced by
something later is not in it.
"""

import tempfile
from pathlib import Path

from centerpiece.hub.voice import Utterance
from hal.ports import Clip, ClipSequence
from sim.script import Runner, Stage


class EveningListener:
    """Writes down what a stage lets hear."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._began = stage.clock.now()
        self._words: dict[tuple[Clip, ...], str] = {}
        self.lines: list[str] = []
        stage.hub.on_said(self._composed)
        stage.board.sound.listeners.append(lambda cue, volume: self._write(f"({cue})"))
        stage.board.sound.hearers.append(self._heard)

    def _composed(self, utterance: Utterance) -> None:
        from centerpiece.speech.languages import language

        said = utterance.message.say(language(self._stage.hub.preferences.language))
        self._words[said.clips] = said.words

    def _heard(self, sentence: ClipSequence) -> None:
        self._write(self._words[sentence.clips])

    def _write(self, what: str) -> None:
        passed = round(self._stage.clock.now() - self._began)
        self.lines.append(f"{passed // 60:3}:{passed % 60:02}  {what}")


def aloud(path: Path) -> list[str]:
    """What is heard of a scenario; a remark of it that begins with two signs is passed on."""
    with tempfile.TemporaryDirectory(prefix="centerpiece-") as folder:
        stage = Stage(Path(folder))
        runner, listener = Runner(stage), EveningListener(stage)
        try:
            for line in path.read_text(encoding="utf-8").splitlines():
                if line.startswith("##"):
                    listener.lines += ["", line.removeprefix("##").strip(), ""]
                runner.step(line)
        finally:
            stage.stop()
    return listener.lines
