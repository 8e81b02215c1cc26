"""`Proxy`: connections on loopback that are passed on to a server, later than they came, or cut."""

import asyncio
import re
import threading

_REQUEST = re.compile(rb"(?m)^(GET|HEAD|PUT|POST|DELETE) (\S+) HTTP/1\.1\r$")


class Proxy:
    """Passes connections on to `port`; each answer comes `delay` seconds later, and while `is_cut` nothing passes.

    With `cut_after`, all connections break once so many bytes were sent to the server from now on. With `hides_conditions`
    the server does not learn that a write is conditional. `requests` are the methods and targets that were passed on.
    """

    def __init__(self, port):
        self._server_port = port
        self.delay = 0.0
        self.is_cut = False
        self.hides_conditions = False
        self.requests = []
        self._left = None
        self._open = set()
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()

        def run():
            asyncio.set_event_loop(self._loop)
            self._server = self._loop.run_until_complete(asyncio.start_server(self._connected, "127.0.0.1", 0))
            self.port = self._server.sockets[0].getsockname()[1]
            ready.set()
            self._loop.run_forever()

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        ready.wait()

    def cut(self):
        """Break all connections, and refuse new ones until `mend`."""
        self.is_cut = True
        self._loop.call_soon_threadsafe(self._break)

    def mend(self):
        """Let connections pass again."""
        self._left = None
        self.is_cut = False

    def cut_after(self, sent):
        """Cut once so many bytes more were sent to the server."""
        self._left = sent

    def close(self):
        self._loop.call_soon_threadsafe(self._break)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def _break(self):
        for writer in list(self._open):
            writer.transport.abort()

    async def _connected(self, reader, writer):
        if self.is_cut:
            writer.transport.abort()
            return
        there_reader, there = await asyncio.open_connection("127.0.0.1", self._server_port)
        self._open |= {writer, there}
        try:
            asked = asyncio.Event()
            up, down = self._pass(reader, there, asked, is_up=True), self._pass(there_reader, writer, asked, is_up=False)
            await asyncio.gather(up, down)
        except OSError:
            pass
        finally:
            for each in (writer, there):
                self._open.discard(each)
                each.transport.abort()

    async def _pass(self, reader, writer, asked, *, is_up):
        while data := await reader.read(1 << 16):
            if is_up and self._left is not None:
                self._left -= len(data)
                if self._left < 0:
                    self.is_cut = True
                    self._break()
                    return
            if is_up and self.hides_conditions:
                data = re.sub(rb"(?im)^if-(none-)?match:", lambda found: b"x" * (len(found[0]) - 1) + b":", data)
            if is_up:
                self.requests += [(found[1].decode(), found[2].decode()) for found in _REQUEST.finditer(data)]
                asked.set()
            elif asked.is_set():  # the beginning of an answer
                asked.clear()
                await asyncio.sleep(self.delay)
            writer.write(data)
            await writer.drain()
        writer.transport.abort()
