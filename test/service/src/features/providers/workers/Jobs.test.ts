/** A worker's calls for a job, over HTTP with the real dispatcher. */
import * as http from "node:http"
import { isDeepStrictEqual } from "node:util"
import * as zlib from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import { KeyId } from "#domain/Ids.ts"
import { WorkerPool } from "#src/features/providers/pull/WorkerPool.ts"
import { WorkerKeys } from "#src/features/providers/workers/WorkerKeys.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import * as InputSizes from "#test/support/InputSizes.ts"
import * as HttpProbe from "#test/support/HttpProbe.ts"
import { TestServer } from "#test/support/TestServer.ts"
import * as Server from "#test/support/src/features/providers/workers/WorkerServer.ts"
import * as Until from "#test/support/Until.ts"

const until = <R>(isSo: Effect.Effect<boolean, never, R>) =>
  Until.until("a fact of the worker", isSo, (so) => so)

/** Waits until this many workers wait for jobs of the model. */
const waiting = Effect.fnUntraced(function* (model: string, count: number) {
  const { pollers } = yield* WorkerPool
  yield* until(Effect.sync(() => pollers.room(model) === count))
})

/** A job of a new request, claimed by a worker with the key. */
const begin = Effect.fnUntraced(function* (authorization: string, value = "in") {
  const id = yield* Server.submit(Server.upscale, value)
  const job = yield* Server.claim(authorization, [Server.upscale])
  assert.strictEqual(job.requestId, id)
  return { id, job, leaseId: job.leaseId }
})

const lost = [409, "LEASE_LOST"]
const told = (reply: Parameters<typeof Server.codeOf>[0]) => [reply.status, Server.codeOf(reply)]

const json = { "content-type": "application/json" }

/** Posts a compressed report of a job. */
const report = Effect.fnUntraced(function* (
  authorization: string,
  leaseId: string,
  { body, call = "result", encoding }: { body: Uint8Array; call?: string; encoding: string }
) {
  const { port } = yield* TestServer
  const { until } = yield* SkippedTime
  const headers = { ...json, authorization, "content-encoding": encoding }
  return yield* until("10 millis")(
    HttpProbe.send(port, { method: "POST", path: `/workers/jobs/${leaseId}/${call}`, headers, body })
  )
})

const codings = [
  ["gzip", zlib.gzipSync],
  ["x-gzip", zlib.gzipSync],
  ["deflate", zlib.deflateSync],
  ["deflate", zlib.deflateRawSync],
  ["br", zlib.brotliCompressSync],
  ["zstd", zlib.zstdCompressSync],
  ["GZIP", zlib.gzipSync],
  ["identity", (text: string) => Buffer.from(text)]
] as const

layer(Server.layer, { excludeTestServices: true })("A worker", (it) => {
  it.effect.each([
    ["result", '{"output":{"score":NaN}}', "not JSON: NaN at /output/score"],
    ["result", "<html>", "HTML, not JSON"],
    ["chunks", '{"from":0,"chunks":["a",Infinity]}', "not JSON: Infinity at /chunks/1"]
  ] as const)("that reports a %s of %j learns what is wrong, and its request ends", ([call, text, fault]) =>
    Effect.gen(function* () {
      const { authorization } = yield* Server.workerKey()
      const { id, leaseId } = yield* begin(authorization)
      const { port } = yield* TestServer
      const report = HttpProbe.send(port, {
        method: "POST",
        path: `/workers/jobs/${leaseId}/${call}`,
        headers: { ...json, authorization },
        body: text
      })
      const reply = yield* report
      assert.strictEqual(reply.status, 400, reply.text)
      assert.include(reply.text, fault)
      const { attempt, phase } = yield* Server.requestOf(id)
      assert.strictEqual(attempt, 1)
      assert.strictEqual(phase._tag, "Completed")
      assert.include(phase._tag === "Completed" ? phase.error : null, fault)
      assert.strictEqual((yield* report).status, 400)
    })
  )

  it.effect.each(InputSizes.all)("gets an input of %i bytes whole", (size) =>
    Effect.gen(function* () {
      const { authorization } = yield* Server.workerKey()
      const value = "x".repeat(size - JSON.stringify({ value: "" }).length)
      const { job, leaseId } = yield* begin(authorization, value)
      // A comparison that fails would print megabytes.
      assert.isTrue(isDeepStrictEqual(job.input, { value }), "the input arrived otherwise")
      assert.strictEqual(
        (yield* Server.end(authorization, leaseId, { output: { value: "out" } })).status,
        200
      )
    })
  )

  it.effect("may compress its result and its chunks with each of the codings", () =>
    Effect.gen(function* () {
      const { authorization } = yield* Server.workerKey()
      for (const [encoding, compress] of codings) {
        const { id, leaseId } = yield* begin(authorization)
        const body = compress(JSON.stringify({ output: { value: "häuschen".repeat(20_000) } }))
        const reply = yield* report(authorization, leaseId, { body, encoding })
        assert.strictEqual(reply.status, 200, `${encoding}: ${reply.text}`)
        const { phase, violations } = yield* Server.requestOf(id)
        assert.strictEqual(phase._tag, "Completed", encoding)
        assert.isEmpty(violations)
      }
      yield* Server.submit(Server.tell, "in")
      const { leaseId } = yield* Server.claim(authorization, [Server.tell])
      const body = zlib.gzipSync('{"from":0,"chunks":["Once"]}')
      const reply = yield* report(authorization, leaseId, { body, call: "chunks", encoding: "gzip" })
      assert.deepInclude(reply.json, { next: 1 })
    })
  )

  it.effect.each(["gzip", "deflate", "br", "zstd"])(
    "that sends broken %s learns what is wrong, and its request ends",
    (encoding) =>
      Effect.gen(function* () {
        const { authorization } = yield* Server.workerKey()
        const whole = codings.find(([name]) => name === encoding)?.[1](JSON.stringify({ output: [1, 2, 3] }))
        const cut = whole?.subarray(0, -6) ?? Buffer.alloc(0)
        for (const body of [Buffer.from('{"output":{}}'), cut]) {
          const { id, leaseId } = yield* begin(authorization)
          const reply = yield* report(authorization, leaseId, { body, encoding })
          assert.strictEqual(reply.status, 400, reply.text)
          const fault = `encoded as ${encoding}, and cannot be decoded`
          assert.include(reply.text, fault)
          const { attempt, phase } = yield* Server.requestOf(id)
          assert.strictEqual(attempt, 1)
          assert.strictEqual(
            phase._tag === "Completed" ? phase.error : null,
            `The provider's result is ${fault}.`
          )
        }
      })
  )

  it.effect("that sends more than the limit, compressed, gets 413, and keeps its job", () =>
    Effect.gen(function* () {
      const { authorization } = yield* Server.workerKey()
      const id = yield* Server.submit(Server.tell, "in")
      const { leaseId } = yield* Server.claim(authorization, [Server.tell])
      for (const [call, limit] of [
        ["result", 32 * 1024 * 1024],
        ["chunks", 4 * 1024 * 1024]
      ] as const) {
        const body = zlib.gzipSync(Buffer.alloc(limit + 1, " "))
        assert.isBelow(body.length, 64 * 1024)
        const reply = yield* report(authorization, leaseId, { body, call, encoding: "gzip" })
        assert.strictEqual(reply.status, 413, reply.text)
        assert.include(reply.text, String(limit))
      }
      const chunks = '{"from":0,"chunks":["Once"]}'.padEnd(4 * 1024 * 1024)
      const body = zlib.zstdCompressSync(chunks)
      const reply = yield* report(authorization, leaseId, { body, call: "chunks", encoding: "zstd" })
      assert.deepInclude(reply.json, { next: 1 })
      yield* Server.end(authorization, leaseId, { output: "Once" })
      const { attempt, phase } = yield* Server.requestOf(id)
      assert.deepStrictEqual([attempt, phase._tag], [1, "Completed"])
    })
  )

  it.effect("that compresses in another way learns how it may", () =>
    Effect.gen(function* () {
      const { authorization } = yield* Server.workerKey()
      const { id, leaseId } = yield* begin(authorization)
      const body = zlib.gzipSync(zlib.gzipSync('{"output":{"value":"out"}}'))
      for (const encoding of ["gzip, gzip", "compress", "constructor"]) {
        const reply = yield* report(authorization, leaseId, { body, encoding })
        assert.strictEqual(reply.status, 415, reply.text)
        assert.strictEqual(reply.headers["accept-encoding"], "gzip, deflate, br, zstd")
      }
      yield* Server.end(authorization, leaseId, { output: { value: "out" } })
      const { attempt, phase } = yield* Server.requestOf(id)
      assert.deepStrictEqual([attempt, phase._tag], [1, "Completed"])
    })
  )

  it.effect("gets a job, reports its progress, and its result becomes the request's", () =>
    Effect.gen(function* () {
      const { authorization } = yield* Server.workerKey()
      const claiming = yield* Effect.forkChild(Server.claim(authorization))
      yield* waiting(Server.upscale, 1)
      const id = yield* Server.submit(Server.upscale, "in")
      const { leaseId, ...job } = yield* Fiber.join(claiming)
      assert.deepStrictEqual(job, {
        requestId: id,
        attempt: 1,
        modelEndpoint: Server.upscale,
        input: { value: "in" },
        leaseSeconds: 30,
        timeoutSeconds: 600
      })
      const beat = yield* Server.heartbeat(authorization, leaseId, { progress: 0.5, logs: ["half"] })
      assert.strictEqual(beat.status, 200, beat.text)
      assert.strictEqual(Reflect.get(Object(beat.json), "cancelRequested"), false)
      const ended = yield* Server.end(authorization, leaseId, { output: { value: "out" } })
      assert.deepStrictEqual([ended.status, ended.json], [200, { recorded: true }])
      const request = yield* Server.requestOf(id)
      assert.strictEqual(request.phase._tag, "Completed")
      assert.deepStrictEqual(request.logs, ["half"])
      const again = yield* Server.end(authorization, leaseId, { error: "no" })
      assert.deepStrictEqual([again.status, again.json], [200, { recorded: true }])
      assert.strictEqual((yield* Server.requestOf(id)).phase._tag, "Completed")
      assert.deepStrictEqual(told(yield* Server.heartbeat(authorization, leaseId)), lost)
    })
  )

  it.effect("ends a job in each possible way", () =>
    Effect.gen(function* () {
      const { authorization } = yield* Server.workerKey([Server.upscale])
      const ends: ReadonlyArray<readonly [Json, string, string | null]> = [
        [{ error: "CUDA out of memory" }, "Completed", "CUDA out of memory"],
        [{ refused: "No such weights" }, "Failed", "No such weights"],
        [{ output: { other: 1 } }, "Completed", null]
      ]
      for (const [body, phase, message] of ends) {
        const { id, leaseId } = yield* begin(authorization)
        assert.strictEqual((yield* Server.end(authorization, leaseId, body)).status, 200)
        const request = yield* Server.requestOf(id)
        assert.strictEqual(request.phase._tag, phase)
        if (request.phase._tag === "Completed") assert.strictEqual(request.phase.error, message)
        if (request.phase._tag === "Failed") assert.strictEqual(request.phase.message, message)
        assert.strictEqual(request.violations.length > 0, message === null)
      }
    })
  )

  it.effect("may report the units of its output", () =>
    Effect.gen(function* () {
      const { authorization } = yield* Server.workerKey()
      for (const [units, expected] of [
        ["0.25", 250_000n],
        ["9007199254.740993", 9_007_199_254_740_993n],
        ["999999999999.999999", 999_999_999_999_999_999n]
      ] as const) {
        const { id, leaseId } = yield* begin(authorization)
        yield* Server.end(authorization, leaseId, { output: { value: "out" }, units })
        const { phase } = yield* Server.requestOf(id)
        assert.isTrue(phase._tag === "Completed" && phase.billing.units === expected, units)
      }
    })
  )

  it.effect("that cannot run it for now has it run again, and one that returns it counts no attempt", () =>
    Effect.gen(function* () {
      const { authorization } = yield* Server.workerKey()
      const { id, leaseId } = yield* begin(authorization)
      yield* Server.end(authorization, leaseId, { refused: "Busy", retryable: true })
      const second = yield* Server.claim(authorization)
      assert.deepStrictEqual([second.requestId, second.attempt], [id, 2])
      const released = yield* Server.release(authorization, second.leaseId, { reason: "shutting down" })
      assert.strictEqual(released.status, 204, released.text)
      assert.strictEqual((yield* Server.release(authorization, second.leaseId)).status, 204)
      assert.deepStrictEqual(told(yield* Server.end(authorization, second.leaseId, { error: "late" })), lost)
      const third = yield* Server.claim(authorization)
      assert.deepStrictEqual([third.requestId, third.attempt], [id, 3])
      assert.deepStrictEqual((yield* Server.requestOf(id)).retries, { transport: 1, lost: 0 })
      yield* Server.end(authorization, third.leaseId, { output: { value: "out" } })
    })
  )

  it.effect("learns at its heartbeat that the client has cancelled", () =>
    Effect.gen(function* () {
      const { authorization } = yield* Server.workerKey()
      const { key } = yield* TestServer
      const { id, leaseId } = yield* begin(authorization)
      const { port } = yield* TestServer
      // Its answer waits a moment for the worker.
      const cancelling = Server.request(port, "PUT", `/${Server.upscale}/requests/${id}/cancel`, key)
      yield* SkippedTime.passing("100 millis")(cancelling)
      yield* until(
        Effect.map(Server.heartbeat(authorization, leaseId), ({ json }) =>
          Boolean(Reflect.get(Object(json), "cancelRequested"))
        )
      ).pipe(SkippedTime.passing("20 millis"))
      assert.strictEqual((yield* Server.end(authorization, leaseId, { cancelled: true })).status, 200)
      assert.strictEqual((yield* Server.requestOf(id)).phase._tag, "Cancelled")
    })
  )

  it.effect("gets no job of another one, and the one that has waited longest gets the first", () =>
    Effect.gen(function* () {
      const first = yield* Server.workerKey()
      const second = yield* Server.workerKey()
      const claims = []
      for (const [index, { authorization }] of [first, second].entries()) {
        claims.push(yield* Effect.forkChild(Server.claim(authorization)))
        yield* waiting(Server.upscale, index + 1)
      }
      const a = yield* Server.submit(Server.upscale, "a")
      yield* waiting(Server.upscale, 1)
      const b = yield* Server.submit(Server.upscale, "b")
      const jobs = yield* Effect.forEach(claims, Fiber.join)
      assert.deepStrictEqual(
        jobs.map(({ requestId }) => requestId),
        [a, b]
      )
      const [job] = jobs
      const stolen = yield* Server.end(second.authorization, job?.leaseId ?? "", { error: "mine" })
      assert.strictEqual(stolen.status, 404, stolen.text)
      for (const [index, { leaseId }] of jobs.entries()) {
        const { authorization } = index === 0 ? first : second
        yield* Server.end(authorization, leaseId, { output: { value: "out" } })
      }
    })
  )

  it.effect("that disconnects while it waits gets no job", () =>
    Effect.gen(function* () {
      const { authorization } = yield* Server.workerKey()
      const leaving = yield* Effect.forkChild(Server.claim(authorization))
      yield* waiting(Server.upscale, 1)
      yield* Fiber.interrupt(leaving)
      yield* waiting(Server.upscale, 0)
      const { id, job, leaseId } = yield* begin(authorization)
      assert.strictEqual(job.attempt, 1)
      yield* Server.end(authorization, leaseId, { output: { value: id } })
    })
  )

  it.effect("that does not read its job has it run again, without counting an attempt", () =>
    Effect.gen(function* () {
      const { authorization } = yield* Server.workerKey()
      const { port } = yield* TestServer
      const id = yield* Server.submit(Server.upscale, "x".repeat(8_000_000))
      // Far more than the connection buffers, so it never receives all of it.
      yield* Effect.callback<void>((resume) => {
        const options = { host: "127.0.0.1", port, path: "/workers/claim", method: "POST", agent: false }
        const request = http.request({ ...options, headers: { authorization } }, () => request.destroy())
        request.on("error", () => {})
        request.on("close", () => resume(Effect.void))
        request.end()
      })
      const second = yield* Server.claim(authorization)
      assert.deepStrictEqual([second.requestId, second.attempt], [id, 2])
      assert.deepStrictEqual((yield* Server.requestOf(id)).retries, { transport: 0, lost: 0 })
      yield* Server.end(authorization, second.leaseId, { output: { value: "out" } })
    })
  )

  it.effect("receives 204 when there is no job", () =>
    Effect.gen(function* () {
      const { authorization } = yield* Server.workerKey()
      const reply = yield* Server.post("/workers/claim", authorization, { wait: 0 })
      assert.deepStrictEqual([reply.status, reply.text], [204, ""])
    })
  )

  it.effect("is admitted with its own key only, for its models only", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer
      const { authorization } = yield* Server.workerKey([Server.upscale])
      const expired = yield* Server.workerKey(null, Date.now() - 1)
      const claim = (authorization: string, models?: ReadonlyArray<string>) =>
        Effect.map(Server.post("/workers/claim", authorization, { wait: 0, ...(models && { models }) }), told)
      const wrong = authorization.replace(/.$/, (last) => (last === "A" ? "B" : "A"))
      for (const none of [key, expired.authorization, wrong, "Key nobody:x", ""]) {
        assert.deepStrictEqual(yield* claim(none), [401, undefined])
      }
      const asAccount = yield* Server.post(`/${Server.upscale}`, authorization, { value: "x" })
      assert.strictEqual(asAccount.status, 401)
      assert.deepStrictEqual(yield* claim(authorization, [Server.caption]), [403, "MODEL_NOT_GRANTED"])
      assert.deepStrictEqual(yield* claim((yield* Server.workerKey()).authorization, ["no/model"]), [
        404,
        undefined
      ])
      // It may not take a job of another model, even if it names none.
      const id = yield* Server.submit(Server.caption, "in")
      assert.deepStrictEqual(yield* claim(authorization), [204, undefined])
      const other = yield* Server.workerKey([Server.caption])
      const job = yield* Server.claim(other.authorization)
      assert.deepStrictEqual([job.requestId, job.modelEndpoint, job.attempt], [id, Server.caption, 1])
      yield* Server.end(other.authorization, job.leaseId, { output: { value: "out" } })
    })
  )

  it.effect("whose key is revoked is rejected, and its waiting call gets nothing", () =>
    Effect.gen(function* () {
      const { authorization, keyId } = yield* Server.workerKey()
      const { leaseId } = yield* begin(authorization)
      const waits = yield* Effect.forkChild(Server.post("/workers/claim", authorization, { wait: 20 }))
      yield* waiting(Server.upscale, 1)
      yield* (yield* WorkerKeys).revoke(KeyId.make(keyId))
      assert.strictEqual((yield* Server.heartbeat(authorization, leaseId)).status, 401)
      assert.strictEqual((yield* Server.end(authorization, leaseId, { error: "no" })).status, 401)
      const { pollers } = yield* WorkerPool
      assert.strictEqual(pollers.room(Server.upscale), 0)
      const other = yield* Server.workerKey()
      const { job } = yield* begin(other.authorization, "for the other one")
      assert.strictEqual(job.attempt, 1)
      yield* Server.end(other.authorization, job.leaseId, { output: { value: "out" } })
      yield* Fiber.interrupt(waits)
    })
  )

  it.effect("may use the previous secret as long as it is valid", () =>
    Effect.gen(function* () {
      const { authorization, keyId } = yield* Server.workerKey()
      const keys = yield* WorkerKeys
      const claim = Effect.map(Server.post("/workers/claim", authorization, { wait: 0 }), told)
      yield* keys.rotate({ keyId: KeyId.make(keyId), graceMs: 60_000 })
      assert.deepStrictEqual(yield* claim, [204, undefined])
      yield* keys.rotate({ keyId: KeyId.make(keyId), graceMs: 0 })
      assert.deepStrictEqual(yield* claim, [401, undefined])
    })
  )

  it.effect("receives an error that names the fault in its input", () =>
    Effect.gen(function* () {
      const { authorization } = yield* Server.workerKey()
      const { leaseId } = yield* begin(authorization)
      const codes = (body: Json, path = `/workers/jobs/${leaseId}/result`) =>
        Effect.map(Server.post(path, authorization, body), ({ json, status }) => {
          const error: unknown = Reflect.get(Object(json), "error")
          return [status, Array.isArray(error) ? error.map(({ code }) => code) : error]
        })
      const cases: ReadonlyArray<readonly [Json, string]> = [
        [{}, "oneOf"],
        [{ output: 1, error: "no" }, "oneOf"],
        [{ error: "no", units: "1" }, "dependentRequired"],
        [{ output: 1, retryable: true }, "dependentRequired"],
        [{ output: 1, units: "-1" }, "pattern"],
        [{ output: 1, units: "0.1234567" }, "pattern"],
        [{ output: 1, units: 9007199254.740993 }, "type"],
        [{ error: 1 }, "type"],
        [{ cancelled: false }, "const"],
        [{ output: 1, more: 1 }, "additionalProperties"]
      ]
      for (const [body, code] of cases) assert.deepStrictEqual(yield* codes(body), [400, [code]])
      const beats = `/workers/jobs/${leaseId}/heartbeat`
      assert.deepStrictEqual(yield* codes({ progress: 2 }, beats), [400, ["maximum"]])
      assert.deepStrictEqual(yield* codes({ wait: 61 }, "/workers/claim"), [400, ["maximum"]])
      assert.strictEqual((yield* Server.end(authorization, "rq.1.x.y", { error: "no" })).status, 404)
      const { port } = yield* TestServer
      const large = yield* Server.announce(
        port,
        `/workers/jobs/${leaseId}/result`,
        authorization,
        32 * 1024 * 1024 + 1
      )
      assert.strictEqual(large, 413)
      yield* Server.end(authorization, leaseId, { error: "done" })
    })
  )
})
