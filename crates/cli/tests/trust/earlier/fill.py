"""Fills a store with an earlier Plimsoll, the way a person and an agent would.

fill.py PROGRAM OUT.zip

PROGRAM is `plimsoll` as it was built from an earlier commit; README.md says which. What it
does not know yet is left out. OUT.zip gets the whole data directory.
"""

import http.server
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path


class Provider(http.server.BaseHTTPRequestHandler):
    """Answers each message with its own words, and fails where it is asked to."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(404, "application/json", b"{}")

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        last = asked["messages"][-1]["content"]
        text = last if isinstance(last, str) else " ".join(p.get("text", "") for p in last)
        if "fails" in text:
            error = {"error": {"message": "The tide is out.", "type": "invalid_request_error"}}
            return self.answer(400, "application/json", json.dumps(error).encode())
        words = f"You said: {text.strip().splitlines()[-1]}"
        events = [
            {"choices": [{"index": 0, "delta": {"role": "assistant", "content": words}}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
            {"choices": [], "usage": {"prompt_tokens": 40, "completion_tokens": 9}},
        ]
        body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
        self.answer(200, "text/event-stream", (body + "data: [DONE]\n\n").encode())


class Bench:
    """The served workbench of that time."""

    def __init__(self, program, home, port):
        self.program, self.home = program, home
        models = (
            '[[model]]\nid = "test"\nprovider = "openai"\n'
            f'baseUrl = "http://127.0.0.1:{port}/v1"\n'
            'keyEnv = "PLIMSOLL_TEST_KEY"\ncontextWindow = 8000\n'
        )
        (home / "models.toml").write_text(models)
        (home / "config.toml").write_text('defaultModel = "test"\n')
        self.env = dict(
            os.environ,
            PLIMSOLL_CONFIG_DIR=str(home),
            PLIMSOLL_DATA_DIR=str(home / "data"),
            PLIMSOLL_TIME_ZONE="UTC",
            PLIMSOLL_TEST_KEY="k",
        )
        serve = [program, "serve", "--addr", "127.0.0.1:0"]
        self.served = subprocess.Popen(
            serve, env=self.env, cwd=home, stdout=subprocess.PIPE, text=True
        )
        self.url = self.served.stdout.readline().split()[-1].rstrip("/")

    def call(self, method, path, body=None, raw=None):
        data = raw if raw is not None else (None if body is None else json.dumps(body).encode())
        request = urllib.request.Request(self.url + path, data=data, method=method)
        if raw is None:
            request.add_header("content-type", "application/json")
        with urllib.request.urlopen(request) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def run(self, *args, text=None):
        ran = subprocess.run(
            [self.program, *args], env=self.env, cwd=self.home, input=text,
            capture_output=True, text=True,
        )
        if ran.returncode != 0:
            raise RuntimeError(f"{args}: {ran.stderr}")
        return ran.stdout

    def send(self, text, **more):
        pair = self.call("POST", "/api/send", {"text": text, **more})["pair"]
        while True:
            if self.call("GET", f"/api/pairs/{pair}")["lifecycleState"] not in ("idle", "sending"):
                return pair
            time.sleep(0.05)

    def knows(self, command):
        ran = subprocess.run([self.program, command, "--help"], env=self.env, capture_output=True)
        return ran.returncode == 0

    def stop(self):
        self.served.send_signal(signal.SIGINT)
        self.served.wait()


def talk(bench):
    bench.call("POST", "/api/topics", {"path": "harbour/tides", "systemMessage": "Speak of tides."})
    bench.call("POST", "/api/topics", {"path": "galley"})
    bench.call("PUT", "/api/view", {"topic": "harbour/tides"})
    first = bench.send("When is high water?")
    second = bench.send("And low water?")
    bench.call("PUT", "/api/view", {"topic": "galley"})
    third = bench.send("What is for dinner?")
    bench.call("PATCH", f"/api/pairs/{first}", {"star": 3})
    bench.call("PATCH", f"/api/pairs/{second}", {"userText": "And low water, roughly?"})
    bench.send("What is for dinner?", regenerate=third)
    bench.send("This one fails.")
    bench.call("PUT", "/api/filters/tides", {"text": "t'/harbour/tides'"})
    bench.call("PUT", "/api/draft", {"text": "A message that was not sent yet"})


def attach(bench):
    (bench.home / "soundings.txt").write_text("Nine metres at the pier, four at the slip.\n")
    bench.run("send", "-f", "soundings.txt", "How deep is it?")


def remember(bench):
    calls = [
        ("mem_session_start", {"id": "dredging", "project": "harbour"}),
        ("mem_save", {"title": "Depth", "content": "Nine metres.", "type": "discovery",
                      "project": "harbour", "topic_key": "depth", "session_id": "dredging"}),
        ("mem_save", {"title": "Depth", "content": "Ten metres.", "type": "discovery",
                      "project": "harbour", "topic_key": "depth", "session_id": "dredging"}),
        ("mem_save", {"title": "Mud", "content": "Soft below the slip.", "project": "harbour",
                      "relate_to": [1], "session_id": "dredging"}),
        ("mem_save_prompt", {"content": "Dredge the basin", "project": "harbour",
                             "session_id": "dredging"}),
        ("mem_session_summary", {"id": "dredging", "content": "The mud is deeper than charted."}),
        ("mem_progress", {"project": "harbour", "content": {"done": ["basin"]}}),
    ]
    messages = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "fill", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    mcp = subprocess.Popen([bench.program, "mcp"], env=bench.env, cwd=bench.home, text=True,
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for number, (name, arguments) in enumerate(calls, 1):
        messages.append({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                         "params": {"name": name, "arguments": arguments}})
    for message in messages:
        mcp.stdin.write(json.dumps(message) + "\n")
        mcp.stdin.flush()
        if "id" in message:
            answer = json.loads(mcp.stdout.readline())
            assert not answer.get("result", {}).get("isError"), answer
            assert "error" not in answer, answer
    mcp.stdin.close()
    mcp.wait()


def pack(data, out):
    small = data / "small.db"
    store = sqlite3.connect(data / "plimsoll.db")
    store.execute("VACUUM INTO ?", (str(small),))
    store.close()
    # The bytes of files stand in folders beside the store.
    beside = [path for path in sorted(data.glob("*/**/*")) if path.is_file()]
    with zipfile.ZipFile(out, "w") as archive:
        for path, name in [(small, "plimsoll.db"), *((p, str(p.relative_to(data))) for p in beside)]:
            # No dates and no owners: the same store gives the same archive.
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes(), compresslevel=9)


def main():
    program, out = os.path.abspath(sys.argv[1]), sys.argv[2]
    provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as home:
        bench = Bench(program, Path(home), provider.server_port)
        try:
            talk(bench)
            if bench.knows("files"):
                attach(bench)
            if bench.knows("mcp"):
                remember(bench)
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{error.url}: {error.read().decode()}") from error
        finally:
            bench.stop()
        pack(Path(home) / "data", out)
    print(f"{out}: {os.path.getsize(out):,} bytes")


main()
