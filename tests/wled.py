"""A simulated WLED controller on the loopback: datagrams, its page, and unplugging."""

import json
import socket
import struct
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from tests.strips import Wire


class Wled(Wire):
    """A controller that decodes the protocols byte by byte, by their descriptions."""

    def __init__(self, count: int) -> None:
        super().__init__("RGB")
        self.count = count
        self.datagrams: list[bytes] = []
        self.answer: Any = {"name": "table", "leds": {"count": count}}
        self.wishes: list[Any] = []
        self._pixels = bytearray(3 * count)
        self.udp_port = self.http_port = 0
        self.plug()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.http_port}"

    def plug(self) -> None:
        """Switch it on, at the same address."""
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", self.udp_port))
        self.udp_port = self._udp.getsockname()[1]
        self._http = ThreadingHTTPServer(("127.0.0.1", self.http_port), self._page())
        self.http_port = self._http.server_address[1]
        self._threads = [Thread(target=self._receive), Thread(target=self._serve)]
        for thread in self._threads:
            thread.start()

    def unplug(self) -> None:
        """Switch it off: its address does not answer any more."""
        self._http.shutdown()
        self._http.server_close()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as waker:
            waker.sendto(b"", ("127.0.0.1", self.udp_port))
        for thread in self._threads:
            thread.join()
        self._udp.close()

    def _serve(self) -> None:
        self._http.serve_forever(poll_interval=0.01)

    def _receive(self) -> None:
        while datagram := self._udp.recv(2000):
            self.datagrams.append(datagram)
            if datagram[0] & 0xC0 == 0x40:
                self._ddp(datagram)
            else:
                self._dnrgb(datagram)

    def _ddp(self, datagram: bytes) -> None:
        flags, _, kind, display, offset, length = struct.unpack(">BBBBIH", datagram[:10])
        data = datagram[10:]
        assert (kind, display, length) == (0x0B, 1, len(data))
        self._pixels[offset : offset + length] = data
        if flags & 0x01:
            self.send(bytes(self._pixels))

    def _dnrgb(self, datagram: bytes) -> None:
        protocol, forget_after, start = struct.unpack(">BBH", datagram[:4])
        assert protocol == 4
        assert forget_after > 1
        self._pixels[3 * start : 3 * start + len(datagram) - 4] = datagram[4:]
        if start + (len(datagram) - 4) // 3 >= self.count:
            self.send(bytes(self._pixels))

    def _page(self) -> type[BaseHTTPRequestHandler]:
        wled = self

        class Page(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(wled.answer)

            def do_POST(self) -> None:
                wish = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                wled.wishes.append(wish)
                if wish == {"live": False}:  # its own effects: here, darkness
                    wled.send(bytes(3 * wled.count))
                self._answer({"success": True})

            def _answer(self, document: Any) -> None:
                body = document if isinstance(document, bytes) else json.dumps(document).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words: object) -> None:
                """Drop the access log."""

        return Page
