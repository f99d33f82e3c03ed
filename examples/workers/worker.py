"""A worker for inferlog (docs/reference/provider-contract.md): WORKER_SECRET=... PORT=9000 python3 worker.py

This is the simplest kind of worker: each run keeps its connection open until it ends. It makes one run at a time, so set
the model's `concurrency` to 1.
"""
import hmac
import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ.get("WORKER_SECRET")


def run(text):
    """The model. The client sees the message of an exception."""
    if not isinstance(text, str):
        raise ValueError("text: expected a string")
    return {"output": {"text": text.upper()}, "units": len(text) / 1000, "logs": ["loaded", "done"]}


def say(text):
    """The same for a model with `output: { stream: text }`, which says its output as it is made."""
    for word in run(text)["output"]["text"].split():
        yield word + " "


class Worker(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if SECRET and not hmac.compare_digest(self.headers.get("Authorization", ""), f"Bearer {SECRET}"):
            return self.answer(401, {})
        if "text/event-stream" in self.headers.get("Accept", ""):
            return self.stream(body["input"])
        try:
            self.answer(200, run(**body["input"]))
        except Exception as error:
            self.answer(200, {"error": str(error)})

    def stream(self, input):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            for part in say(**input):
                self.send("chunk", part)
            self.send("completed", {})
        except ConnectionError:
            pass  # The client cancelled.
        except Exception as error:
            self.send("failed", {"error": str(error)})

    def send(self, event, data):
        self.wfile.write(f"event: {event}\ndata: {json.dumps(data)}\n\n".encode())

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


server = HTTPServer(("", int(os.environ.get("PORT", "9000"))), Worker)
print(f"listening on {server.server_port}", flush=True)
server.serve_forever()
