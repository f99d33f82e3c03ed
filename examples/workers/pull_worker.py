"""Fetches jobs from inferlog and runs them, for a GPU machine behind NAT. It needs only Python 3.9:
INFERLOG_URL=https://queue.example.com INFERLOG_WORKER_KEY=keyId:secret python3 examples/workers/pull_worker.py acme/upscale

Put your model into `run`. The protocol is in docs/operators/workers.md."""
import json, os, random, signal, socket, sys, threading, time
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

URL = os.environ.get("INFERLOG_URL", "http://127.0.0.1:8080")
KEY = os.environ["INFERLOG_WORKER_KEY"]
WORKER_ID = f"{socket.gethostname()}-{os.getpid()}"  # how `inferlog workers list` tells workers apart
WAIT = 50
stopping, working = threading.Event(), threading.Event()


def run(job, progress, is_cancelled, chunk):
    """Returns the output of the model. It may report progress, and should check sometimes whether it is cancelled. A model
    with `output: { stream: text }` says its output as it is made: `chunk` takes each part."""
    words = [text.upper() for text in job["input"].values()]
    for step in range(4):
        if is_cancelled():
            return None
        progress(step / 4, f"step {step + 1} of 4")
        time.sleep(0.01)
    if job["stream"] != "text":
        return dict(zip(job["input"], words))
    for word in words:
        chunk(word)
        time.sleep(0.01)
    return "".join(words)


def post(path, body, timeout=30):
    """Returns status and body, also of an error response. Raises if there is no response."""
    headers = {"Authorization": f"Key {KEY}", "Content-Type": "application/json", "X-Worker-Id": WORKER_ID}
    try:
        with urlopen(Request(URL + path, json.dumps(body).encode(), headers), timeout=timeout) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except HTTPError as error:
        return error.code, {"error": error.read().decode(errors="replace")}


def call_until_answered(path, body):
    """Repeats a call until the server answers it. A repeated call counts once."""
    delay = 0.5
    while True:
        try:
            status, answer = post(path, body)
            if status < 500 and status not in (408, 429):
                return status, answer
        except (URLError, OSError):
            pass
        time.sleep(delay * random.uniform(0.5, 1))
        delay = min(delay * 2, 30)


class Heartbeat(threading.Thread):
    """Renews the lease three times per lease period, and learns whether the job is cancelled."""

    def __init__(self, job):
        super().__init__(daemon=True)
        self.path = f"/workers/jobs/{job['leaseId']}"
        self.every, self.fraction, self.logs = job["leaseSeconds"] / 3, None, []
        self.over, self.cancelled, self.lost, self.lock = threading.Event(), False, False, threading.Lock()

    def progress(self, fraction, line=None):
        with self.lock:
            self.fraction = fraction
            self.logs += [line] if line else []

    def send(self):
        with self.lock:
            report, self.logs = {"progress": self.fraction, "logs": self.logs[-500:]}, []
        try:
            status, answer = post(self.path + "/heartbeat", report, timeout=self.every)
            self.lost = self.lost or status in (401, 404, 409)
            self.cancelled = self.cancelled or (status == 200 and answer["cancelRequested"])
        except (URLError, OSError):
            pass  # The lease lasts for three heartbeats, so a later one may succeed.

    def run(self):
        self.send()
        while not self.over.wait(self.every):
            self.send()
        if self.logs:
            self.send()

    def is_cancelled(self):
        return self.cancelled or self.lost or stopping.is_set()


class Chunks(threading.Thread):
    """Sends the parts of an output, up to ten times a second. The server says where to go on; the result has the rest."""

    def __init__(self, heartbeat):
        super().__init__(daemon=True)
        self.heartbeat, self.parts, self.next = heartbeat, [], 0
        self.more, self.over = threading.Event(), threading.Event()

    def add(self, part):
        self.parts.append(part)
        self.more.set()

    def run(self):
        while self.more.wait() and not self.over.is_set():
            self.more.clear()
            try:
                body = {"from": self.next, "chunks": self.parts[self.next : self.next + 1000]}
                status, answer = post(self.heartbeat.path + "/chunks", body)
                if status == 200 and answer["next"] is not None:
                    self.next = answer["next"]
                if status == 200 and answer["cancelRequested"]:
                    self.heartbeat.cancelled = True
            except (URLError, OSError):
                pass
            if self.next < len(self.parts):
                self.more.set()
            self.over.wait(0.1)

    def end(self):
        self.over.set()
        self.more.set()


def work(job):
    heartbeat = Heartbeat(job)
    chunks = Chunks(heartbeat)
    heartbeat.start()
    chunks.start()
    try:
        result = {"output": run(job, heartbeat.progress, heartbeat.is_cancelled, chunks.add)}
    except Exception as error:  # The model failed, and the request is not billed.
        result = {"error": f"{type(error).__name__}: {error}"}
    heartbeat.over.set()
    chunks.end()
    heartbeat.join()
    chunks.join()
    if heartbeat.lost:
        return print(f"{job['requestId']}: lost", flush=True)
    if result.get("output", result) is None:  # Stopped early: the client cancelled, or this process is ending.
        if not heartbeat.cancelled:
            return print(f"{job['requestId']}: released {call_until_answered(heartbeat.path + '/release', {})[0]}", flush=True)
        result = {"cancelled": True}
    print(f"{job['requestId']}: {call_until_answered(heartbeat.path + '/result', result)[0]}", flush=True)


def stop(*_):
    """Ends at once if no job is running. A running job is released first."""
    stopping.set()
    if not working.is_set():
        sys.exit(0)


def main(models):
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, stop)
    delay = 1
    while not stopping.is_set():
        try:
            status, answer = post("/workers/claim", {"wait": WAIT, **({"models": models} if models else {})}, WAIT + 15)
        except (URLError, OSError) as error:
            status, answer = 0, {"error": str(error)}
        if status == 200:
            working.set()
            work(answer["job"])
            working.clear()
        elif status != 204:
            print(f"claim: {status} {answer['error']}", file=sys.stderr, flush=True)
            stopping.wait(delay * random.uniform(0.5, 1))
        delay = 1 if status in (200, 204) else min(delay * 2, 60)


if __name__ == "__main__":
    main(sys.argv[1:])
