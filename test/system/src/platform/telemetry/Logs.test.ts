import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { send } from "#test/support/HttpProbe.ts"
import { apiKey, authorization } from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as Until from "#test/support/Until.ts"

const canary = "canary-3f9a"
const json = { ...authorization, "content-type": "application/json" }

/**
 * Runs a server with a successful, a failing and some refused requests, all with the canary in them, and returns how
 * it ended.
 */
const life = Effect.fnUntraced(function* (settings: Readonly<Record<string, string>>) {
  const DATA_DIR = yield* TempDirectory.make
  const server = yield* Inferlog.serve({ DATA_DIR, BOOTSTRAP_API_KEY: apiKey, ...settings })
  const port = Number(new URL(server.url).port)
  const post = (path: string, input: unknown, headers: Readonly<Record<string, string>> = json) =>
    send(port, { method: "POST", path, headers, body: JSON.stringify(input) })
  const accepted = yield* post("/sandbox/echo", { value: canary })
  const failing = yield* post("/sandbox/fail", { message: canary })
  const failingId = String(Object(failing.json)["request_id"])
  const status = send(port, {
    path: `/sandbox/fail/requests/${failingId}/status?wait=10`,
    headers: { ...authorization, referer: canary }
  })
  yield* Until.polled("FAILED", status, ({ json }) => Object(json)["status"] === "FAILED", Until.processes)
  yield* post("/sandbox/echo", { [canary]: 1 })
  yield* post("/sandbox/echo", { value: 1 }, { ...json, authorization: `Key test:${canary}` })
  yield* send(port, { path: `/${canary}?${canary}`, headers: { "user-agent": canary } })
  const ended = yield* server.kill("SIGTERM")
  const lines = ended.stderr.split("\n").slice(0, -1)
  return { ...ended, lines, failingId, url: server.url, exchangeId: String(accepted.headers["x-request-id"]) }
})

/** Three lines: that the log is new, and the addresses. */
const assertStdout = (stdout: string, url: string) => {
  const [newLog, ...more] = stdout.split("\n")
  assert.match(String(newLog), /^\S+ contains no log: creating a new one$/)
  assert.deepStrictEqual(more, [`inferlog serves at ${url}`, `The console is at ${url}/console`, ""])
}

const Line = Schema.fromJsonString(
  Schema.StructWithRest(
    Schema.Struct({ timestamp: Schema.String, level: Schema.String, message: Schema.String }),
    [Schema.Record(Schema.String, Schema.Unknown)]
  )
)
const decode = Schema.decodeUnknownSync(Line)

describe("the log", () => {
  it.live("is one JSON object per line with LOG_FORMAT=json, without inputs, paths or keys", () =>
    Effect.gen(function* () {
      const { code, exchangeId, failingId, lines, stderr, stdout, url } = yield* life({ LOG_FORMAT: "json" })
      assert.strictEqual(code, 0)
      assertStdout(stdout, url)
      assert.notInclude(stderr, canary)
      assert.notInclude(stderr, "0123456789abcdef")

      const entries = lines.map((line) => decode(line))
      const found = (message: string) => entries.filter((entry) => entry.message === message)
      const [exchange] = found("HTTP request").filter((entry) => entry["request_id"] === exchangeId)
      assert.deepInclude(exchange, {
        level: "INFO",
        method: "POST",
        route: "/:ownerName/:modelName",
        status: 200
      })
      assert.deepInclude(found("HTTP request").at(-1), { route: "unmatched", status: 404 })
      assert.deepInclude(found("A request failed")[0], {
        level: "WARN",
        request_id: failingId,
        model: "sandbox/fail",
        reason: "refused"
      })
      assert.deepInclude(found("Listening")[0], { url })
      assert.strictEqual(entries.at(-1)?.message, "Stopped")
      for (const { timestamp } of entries) assert.strictEqual(new Date(timestamp).toISOString(), timestamp)
    }).pipe(Effect.scoped)
  )

  it.live("is logfmt by default, each line with its time, level and message", () =>
    Effect.gen(function* () {
      const { exchangeId, lines, stderr } = yield* life({})
      assert.notInclude(stderr, canary)
      for (const line of lines) {
        assert.match(line, /^timestamp=\S+ level=[A-Z]+ fiber=#\d+ message=("([^"\\]|\\.)*"|\S+)( |$)/)
      }
      const [exchange] = lines.filter((line) => line.includes(`request_id=${exchangeId}`))
      assert.match(
        String(exchange),
        /message="HTTP request" .*method=POST route=\S+ status=200 duration_ms=[\d.]+$/
      )
    }).pipe(Effect.scoped)
  )

  it.live("goes to stderr with LOG_FORMAT=pretty as well", () =>
    Effect.gen(function* () {
      const { stderr, stdout, url } = yield* life({ LOG_FORMAT: "pretty" })
      assertStdout(stdout, url)
      assert.notInclude(stderr, canary)
      assert.include(stderr, "HTTP request")
    }).pipe(Effect.scoped)
  )

  it.live("names the lost runs of a former process", () =>
    Effect.gen(function* () {
      const settings = { DATA_DIR: yield* TempDirectory.make, BOOTSTRAP_API_KEY: apiKey, LOG_FORMAT: "json" }
      const killed = yield* Inferlog.serve(settings)
      const port = Number(new URL(killed.url).port)
      const body = JSON.stringify({ seconds: 60 })
      const submitted = yield* send(port, { method: "POST", path: "/sandbox/slow", headers: json, body })
      const id = String(Object(submitted.json)["request_id"])
      const status = send(port, { path: `/sandbox/slow/requests/${id}/status`, headers: authorization })
      const isRunning = ({ json }: Effect.Success<typeof status>) => Object(json)["status"] === "IN_PROGRESS"
      yield* Until.polled("IN_PROGRESS", status, isRunning, Until.processes)
      yield* killed.kill("SIGKILL")

      const server = yield* Inferlog.serve(settings)
      const metrics = send(Number(new URL(server.url).port), { path: "/metrics" })
      yield* Until.polled(
        "a requeue",
        metrics,
        ({ text }) => /_requeued_total\{model="sandbox\/slow",reason="lost"\} 1\n/.test(text),
        Until.processes
      )
      const { stderr } = yield* server.kill("SIGTERM")
      const entries = stderr
        .split("\n")
        .slice(0, -1)
        .map((line) => decode(line))
      const [lost] = entries.filter(({ message }) => message === "A run was lost; its request waits again")
      assert.deepInclude(lost, { level: "WARN", request_id: id, model: "sandbox/slow", attempt: 1 })
    }).pipe(Effect.scoped)
  )
})
