"""A chat server on loopback that plays a script, one entry a request, and keeps what it was asked."""

import json
import platform
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: The client's library asks once for the processor, by a process: not in a test that is to start none.
PROCESSOR = platform.processor()


class ChatServer:
    """`script`: a list of entries, or a function of the request body that gives one; the last entry is played for ever.

    An entry is a dict with any of: text, finish_reason, refusal, status, headers, body (bytes sent as they are), delay
    (seconds before the answer), drip (seconds between two bytes of it), missing (bytes that are announced and never come),
    hang_up (close without an answer).
    """

    def __init__(self, script):
        self.requests = []
        self.times = []
        self.most_at_once = 0
        self.script = script
        self.lock = threading.Lock()
        self.at_once = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with outer.lock:
                    outer.times.append(time.monotonic())
                    outer.requests.append(
                        {"path": self.path, "headers": {name.lower(): value for name, value in self.headers.items()}, **body}
                    )
                    outer.at_once += 1
                    outer.most_at_once = max(outer.most_at_once, outer.at_once)
                    entry = outer.entry(body)
                try:
                    self._play(body, entry)
                except OSError:
                    pass  # the client has left
                finally:
                    with outer.lock:
                        outer.at_once -= 1

            def _play(self, body, entry):
                time.sleep(entry.get("delay", 0))
                if entry.get("hang_up"):
                    self.close_connection = True
                    return
                status = entry.get("status", 200)
                if "body" in entry:
                    data = entry["body"]
                elif status != 200:
                    data = json.dumps({"error": {"message": entry.get("error", "scripted"), "type": "scripted"}}).encode()
                else:
                    data = json.dumps(outer.answer(body, entry)).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data) + entry.get("missing", 0)))
                for name, value in entry.get("headers", {}).items():
                    self.send_header(name, value)
                self.end_headers()
                if "drip" in entry:
                    for i in range(len(data)):
                        self.wfile.write(data[i : i + 1])
                        self.wfile.flush()
                        time.sleep(entry["drip"])
                else:
                    self.wfile.write(data)
                self.close_connection = "missing" in entry

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        self._thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def answer(self, body, entry):
        """What a request that goes well is answered with, as JSON."""
        message = {"role": "assistant", "content": entry.get("text"), "refusal": entry.get("refusal")}
        return {"id": "1", "object": "chat.completion", "created": 0, "model": "scripted", "choices": [
            {"index": 0, "message": message, "finish_reason": entry.get("finish_reason", "stop")}]}  # fmt: skip

    def entry(self, body):
        if callable(self.script):
            return self.script(body)
        return self.script[min(len(self.requests) - 1, len(self.script) - 1)]

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
