"""A transcript of an evening's sound: every cue and every sentence, with the time.

It runs a scenario and records what the simulated sound device plays, so cues and sentences that
were dropped or replaced before they started are not in it.
"""

import tempfile
from pathlib import Path

from centerpiece.hub.voice import Utterance
from hal.ports import Clip, ClipSequence
from sim.script import Runner, Stage


class EveningListener:
    """Records the cues and sentences of a stage."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._started = stage.clock.now()
        self._words: dict[tuple[Clip, ...], str] = {}
        self.lines: list[str] = []
        stage.hub.on_said(self._on_utterance)
        stage.board.sound.listeners.append(lambda cue, volume: self._write(f"({cue})"))
        stage.board.sound.sentence_listeners.append(self._on_sentence)

    def _on_utterance(self, utterance: Utterance) -> None:
        from centerpiece.speech.languages import language

        said = utterance.message.say(language(self._stage.hub.preferences.language))
        self._words[said.clips] = said.words

    def _on_sentence(self, sentence: ClipSequence) -> None:
        self._write(self._words[sentence.clips])

    def _write(self, text: str) -> None:
        passed = round(self._stage.clock.now() - self._started)
        self.lines.append(f"{passed // 60:3}:{passed % 60:02}  {text}")


def aloud(path: Path) -> list[str]:
    """Play the scenario in the file `path` and return the transcript of its sound, a line each.

    Comments with `##` are in it. A step that fails raises, as in the runner.
    """
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
