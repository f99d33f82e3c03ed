import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as AllMetrics from "#src/composition/metrics/AllMetrics.ts"
import { type Reply, send } from "#test/support/HttpProbe.ts"
import { apiKey, authorization } from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as Exposition from "#test/support/src/platform/telemetry/Exposition.ts"
import * as Until from "#test/support/Until.ts"

const serve = Effect.fnUntraced(function* (settings: Readonly<Record<string, string>> = {}) {
  const DATA_DIR = yield* TempDirectory.make
  const { url, kill } = yield* Inferlog.serve({
    DATA_DIR,
    BOOTSTRAP_API_KEY: apiKey,
    LOG_LEVEL: "Warn",
    ...settings
  })
  const port = Number(new URL(url).port)
  const scrape = Effect.map(send(port, { path: "/metrics" }), ({ text }) => Exposition.parse(text))
  return { kill, port, scrape }
})

const json = { ...authorization, "content-type": "application/json" }

const submit = (port: number, model: string, input: unknown) =>
  Effect.map(
    send(port, { method: "POST", path: `/${model}`, headers: json, body: JSON.stringify(input) }),
    (reply: Reply) => String(Object(reply.json)["request_id"])
  )

/** For a request, once it has ended. */
const ended = (port: number, model: string, id: string) =>
  send(port, { path: `/${model}/requests/${id}/status?wait=10`, headers: authorization })

/** Only models of workers have the count of workers, and only a log that was backed up has readings of its backup. */
const conditional = new Set([
  "inferlog_workers_connected",
  "inferlog_backup_position",
  "inferlog_backup_lag_seconds"
])
const documented = AllMetrics.all.filter(({ name }) => !conditional.has(name))

describe("GET /metrics", () => {
  it.live("has each documented metric and no other, with the right counts", () =>
    Effect.gen(function* () {
      const { port, scrape } = yield* serve({ LOG_REQUESTS_PER_SECOND: "0", LOG_LEVEL: "Info" })
      const echo = yield* submit(port, "sandbox/echo", { value: 1 })
      const partial = yield* submit(port, "sandbox/partial", { count: 3, deliver: 1 })
      const failing = yield* submit(port, "sandbox/fail", {})
      yield* ended(port, "sandbox/echo", echo)
      yield* ended(port, "sandbox/partial", partial)
      yield* ended(port, "sandbox/fail", failing)
      yield* send(port, { path: "/sandbox/echo/unknown/secret-path" })

      const families = yield* Until.polled(
        "a history that is not behind",
        scrape,
        (found) =>
          Exposition.valueOf(found, "inferlog_projection_lag_events", { projection: "history" }) === 0,
        Until.processes
      )
      assert.sameMembers(
        [...families.keys()],
        documented.map(({ name }) => name)
      )
      for (const { help, labels, name, type } of documented) {
        const family = families.get(name)
        assert.deepInclude(family, { help, type })
        for (const sample of family?.samples ?? []) {
          const { le: _, ...own } = sample.labels
          assert.deepStrictEqual(Object.keys(own).sort(), [...labels].sort(), name)
        }
      }
      const value = (name: string, labels?: Readonly<Record<string, string>>) =>
        Exposition.valueOf(families, name, labels)
      const endings = [
        ["sandbox/echo", "completed", "charged"],
        ["sandbox/partial", "completed", "partial"],
        ["sandbox/fail", "failed", "none"]
      ] as const
      for (const [model, outcome, billing] of endings) {
        assert.strictEqual(value("inferlog_requests_submitted_total", { model }), 1, model)
        assert.strictEqual(value("inferlog_requests_ended_total", { model, outcome, billing }), 1, model)
        assert.strictEqual(value("inferlog_queue_depth", { model }), 0, model)
        assert.strictEqual(value("inferlog_dispatch_runs", { model }), 0, model)
      }
      const post = { route: "/:ownerName/:modelName", method: "POST" }
      assert.strictEqual(value("inferlog_http_requests_total", { ...post, status: "200" }), 3)
      assert.strictEqual(value("inferlog_http_request_duration_seconds_count", post), 3)
      assert.strictEqual(value("inferlog_http_request_duration_seconds_bucket", { ...post, le: "+Inf" }), 3)
      assert.strictEqual(value("inferlog_http_requests_total", { route: "unmatched", status: "404" }), 1)
      const waited = { route: "/:ownerName/:modelName/requests/:requestId/status", method: "GET" }
      assert.strictEqual(value("inferlog_http_request_duration_seconds_count", waited), 3)
      assert.strictEqual(value("inferlog_http_connections"), 1)
      assert.strictEqual(value("inferlog_events_appended_total"), value("inferlog_log_head_position"))
      assert.isAtLeast(value("inferlog_append_duration_seconds_count") ?? 0, 6)
      assert.isAbove(value("inferlog_process_resident_memory_bytes") ?? 0, 1e7)
    }).pipe(Effect.scoped)
  )

  it.live("is open, uncached, and in Prometheus' format; HEAD too", () =>
    Effect.gen(function* () {
      const { port } = yield* serve()
      for (const method of ["GET", "HEAD"]) {
        const { headers, status } = yield* send(port, { method, path: "/metrics" })
        assert.strictEqual(status, 200)
        assert.strictEqual(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
        assert.strictEqual(headers["cache-control"], "no-store")
      }
    }).pipe(Effect.scoped)
  )

  it.live("requires METRICS_TOKEN if set, and is served on the platform host only", () =>
    Effect.gen(function* () {
      const { port } = yield* serve({ METRICS_TOKEN: "s3cret", BASE_URL: "http://api.example.com" })
      const get = (headers: Readonly<Record<string, string>>) =>
        send(port, { path: "/metrics", headers: { host: "api.example.com", ...headers } })
      assert.strictEqual((yield* get({ authorization: "Bearer s3cret" })).status, 200)
      for (const headers of [
        {},
        authorization,
        { authorization: "Bearer s3cre" },
        { authorization: "s3cret" }
      ]) {
        const reply = yield* get(headers)
        assert.strictEqual(reply.status, 401)
        assert.strictEqual(reply.headers["www-authenticate"], "Bearer")
        assert.hasAllKeys(reply.json, ["error", "request_id"])
        assert.notInclude(reply.text, "s3cre")
      }
      const elsewhere = yield* get({ host: `127.0.0.1:${port}`, authorization: "Bearer s3cret" })
      assert.strictEqual(elsewhere.status, 404)
    }).pipe(Effect.scoped)
  )
})

describe("all metrics", () => {
  it("have names and labels that follow Prometheus' rules", () => {
    for (const { help, labels, name, type } of AllMetrics.all) {
      assert.match(name, /^inferlog_[a-z][a-z0-9_]*[a-z0-9]$/)
      assert.strictEqual(name.endsWith("_total"), type === "counter", name)
      assert.notMatch(name, /_(ms|millis|kb|mb|minutes)(_|$)/)
      assert.match(help, /^[A-Z0-9].*[^.]$/)
      for (const label of labels) assert.notMatch(label, /account|key|request|caller/)
    }
  })
})
