# The raw REPL of a board, whose Unix port has none: what is sent is run, as MicroPython does it.
import sys

names = {}


def say(data):
    sys.stdout.buffer.write(data)


def run(code):
    try:
        exec(code, names)
    except Exception as error:
        say(b"\x04")
        sys.print_exception(error, sys.stdout)
    else:
        say(b"\x04")
    say(b"\x04>")


line = b""
raw = False
while True:
    byte = sys.stdin.buffer.read(1)
    if not byte:
        break
    if byte == b"\x01":
        raw, line = True, b""
        say(b"raw REPL; CTRL-B to exit\r\n>")
    elif byte == b"\x02":
        raw = False
        say(b"\r\nMicroPython\r\n>>> ")
    elif byte == b"\x04" and raw:
        say(b"OK")
        run(line)
        line = b""
    elif byte == b"\x03":
        line = b""
    elif raw:
        line += byte
