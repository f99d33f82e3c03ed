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


class Worker(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if SECRET and not hmac.compare_digest(self.headers.get("Authorization", ""), f"Bearer {SECRET}"):
            return self.answer(401, {})
        try:
            self.answer(200, run(**body["input"]))
        except Exception as error:
            self.answer(200, {"error": str(error)})

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
