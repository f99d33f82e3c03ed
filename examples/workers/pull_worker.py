"""Fetches jobs from inferlog and runs them: for a GPU box behind NAT. Nothing but Python 3.9 is needed:
INFERLOG_URL=https://queue.example.com INFERLOG_WORKER_KEY=keyId:secret python3 examples/workers/pull_worker.py acme/upscale

Put your model into `run`. The protocol is in docs/workers.md."""
import json, os, random, signal, sys, threading, time
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

URL = os.environ.get("INFERLOG_URL", "http://127.0.0.1:8080")
KEY = os.environ["INFERLOG_WORKER_KEY"]
WAIT = 50
stopping, working = threading.Event(), threading.Event()


def run(job, progress, is_cancelled):
    """Gives the output of the model. May tell how far it is, and ask now and then whether it is to stop."""
    for step in range(4):
        if is_cancelled():
            return None
        progress(step / 4, f"step {step + 1} of 4")
        time.sleep(0.01)
    return {name: text.upper() for name, text in job["input"].items()}


def post(path, body, timeout=30):
    """Status and answer. An answer that is an error is one, too; no answer at all raises."""
    headers = {"Authorization": f"Key {KEY}", "Content-Type": "application/json"}
    try:
        with urlopen(Request(URL + path, json.dumps(body).encode(), headers), timeout=timeout) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except HTTPError as error:
        return error.code, {"error": error.read().decode(errors="replace")}


def insist(path, body):
    """What has to be said is said until it is heard: whatever is told twice counts once."""
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
    """Says three times a lease that the worker is at it, and hears whether it is to stop."""

    def __init__(self, job):
        super().__init__(daemon=True)
        self.path = f"/workers/jobs/{job['leaseId']}"
        self.every, self.fraction, self.logs = job["leaseSeconds"] / 3, None, []
        self.over, self.cancelled, self.lost, self.lock = threading.Event(), False, False, threading.Lock()

    def progress(self, fraction, line=None):
        with self.lock:
            self.fraction = fraction
            self.logs += [line] if line else []

    def tell(self):
        with self.lock:
            report, self.logs = {"progress": self.fraction, "logs": self.logs[-500:]}, []
        try:
            status, answer = post(self.path + "/heartbeat", report, timeout=self.every)
            self.lost = self.lost or status in (401, 404, 409)
            self.cancelled = self.cancelled or (status == 200 and answer["cancelRequested"])
        except (URLError, OSError):
            pass  # The next one may come through: the lease lasts for three.

    def run(self):
        self.tell()
        while not self.over.wait(self.every):
            self.tell()
        if self.logs:
            self.tell()

    def is_cancelled(self):
        return self.cancelled or self.lost or stopping.is_set()


def work(job):
    heartbeat = Heartbeat(job)
    heartbeat.start()
    try:
        result = {"output": run(job, heartbeat.progress, heartbeat.is_cancelled)}
    except Exception as error:  # The model ran and failed: not billed.
        result = {"error": f"{type(error).__name__}: {error}"}
    heartbeat.over.set()
    heartbeat.join()
    if heartbeat.lost:
        return print(f"{job['requestId']}: lost", flush=True)
    if result.get("output", result) is None:  # It stopped halfway: for its client, or because this process ends.
        if not heartbeat.cancelled:
            return print(f"{job['requestId']}: given back {insist(heartbeat.path + '/release', {})[0]}", flush=True)
        result = {"cancelled": True}
    print(f"{job['requestId']}: {insist(heartbeat.path + '/result', result)[0]}", flush=True)


def stop(*_):
    """A job that is under way is given back first; whoever only waits for one leaves at once."""
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
