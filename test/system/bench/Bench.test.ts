/** The benchmark harness: counting, void cycles and reports. */
import { once } from "node:events"
import * as http from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as KnownRequests from "#bench/floors/KnownRequests.ts"
import * as AnswerReader from "#bench/harness/AnswerReader.ts"
import * as Cycles from "#bench/harness/Cycles.ts"
import { OthersCpu } from "#bench/harness/Disturbance.ts"
import * as FreePort from "#bench/harness/FreePort.ts"
import * as Histogram from "#bench/harness/Histogram.ts"
import * as HttpSubject from "#bench/harness/HttpSubject.ts"
import * as LoadClient from "#bench/harness/LoadClient.ts"
import type { Machine } from "#bench/harness/Machine.ts"
import * as Report from "#bench/harness/Report.ts"
import * as RequestText from "#bench/harness/RequestText.ts"
import * as RowResult from "#bench/harness/Result.ts"
import * as Statistics from "#bench/harness/Statistics.ts"
import { BenchFailed, type Row, type Subject, Unavailable } from "#bench/harness/Subject.ts"
import * as Inferlog from "#bench/subjects/Inferlog.ts"
import * as Straight from "#bench/subjects/Straight.ts"

const machine: Machine = {
  cpu: "CPU",
  cores: 2,
  memoryMiB: 1_024,
  kernel: "Linux",
  node: "v24",
  date: "2026-01-01T00:00:00.000Z",
  commit: null
}

/** Performs the next number of operations in `rates` per second of the test clock. */
const steady = (name: string, role: Subject["role"], rates: ReadonlyArray<number>): Subject => {
  let turn = 0
  return {
    name,
    role,
    start: Effect.succeed({
      measure: () =>
        Effect.as(TestClock.adjust("1 second"), {
          operations: rates[turn++ % rates.length] ?? 0,
          elapsedMs: 1_000,
          latencyMs: { p50: 1, p99: role === "ours" ? 3 : 2 },
          cpuMs: 500,
          peakRssBytes: 2 ** 20
        })
    })
  }
}

const row: Row = {
  id: "T0",
  title: "Nothing",
  unit: "requests",
  subjects: [
    steady("inferlog", "ours", [80, 90, 100]),
    steady("raw", "floor", [100]),
    {
      name: "other",
      role: "peer",
      start: Effect.fail(new Unavailable({ subject: "other", remedy: "get it" }))
    }
  ],
  targets: { raw: 0.85 },
  p99Targets: { raw: 1.2 }
}

const options: Cycles.Options = { cycles: 3, seconds: 1, peers: true, keepDisturbed: false }

/** CPU time of other processes between samples, ms. Each measurement takes two samples. */
const others = (millis: ReadonlyArray<number>) => {
  let look = 0
  let total = 0
  return Effect.provideService(OthersCpu, () => (total += millis[look++ % millis.length] ?? 0))
}

const quiet = others([0])
const read = (request: string, status: number) =>
  HttpSubject.make({
    name: "raw",
    role: "floor",
    serve: Straight.serve("none"),
    load: () => Effect.succeed({ requests: [request], status }),
    connections: 4,
    warmUpSeconds: 0.1
  })

describe("statistics", () => {
  it("compute the median of an odd and an even number of values", () => {
    assert.deepStrictEqual(Statistics.spread([3, 1, 2]), { median: 2, min: 1, max: 3 })
    assert.deepStrictEqual(Statistics.spread([4, 1, 2, 3]), { median: 2.5, min: 1, max: 4 })
  })

  it("find percentiles within 2 % over five orders of magnitude", () => {
    const histogram = Histogram.make()
    for (let index = 1; index <= 10_000; index++) histogram.record(index * 0.1)
    for (const share of [0.001, 0.01, 0.5, 0.99, 1])
      assert.approximately(histogram.percentile(share), share * 1_000, share * 20)
  })

  it("count a duration beyond all buckets as the longest", () => {
    const histogram = Histogram.make()
    histogram.record(Number.POSITIVE_INFINITY)
    assert.approximately(histogram.percentile(1), 3_600_000, 60_000)
  })
})

describe("an answer", () => {
  const answer = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")

  it("is complete with the last byte of its body, in any number of pieces", () => {
    const reader = AnswerReader.make()
    for (const byte of answer.subarray(0, -1)) assert.isNull(reader.push(Buffer.of(byte)))
    assert.strictEqual(reader.push(answer.subarray(-1)), 200)
    assert.strictEqual(reader.push(Buffer.from("HTTP/1.1 304 Not Modified\r\n\r\n")), 304)
    assert.strictEqual(reader.push(answer), 200)
  })

  it("is refused when it is longer than its content-length or has none", () => {
    assert.throws(() => AnswerReader.make().push(Buffer.concat([answer, answer])))
    assert.throws(() => AnswerReader.make().push(Buffer.from("HTTP/1.1 200 OK\r\n\r\n")))
  })
})

describe("cycles", () => {
  it.effect("are void and repeated when other processes use more than a third of a core", () =>
    Effect.gen(function* () {
      // In the second of the two measurements of the first cycle, other processes use 0.4 s of a second.
      const { cycles, voided } = yield* Cycles.run(row, options).pipe(
        others([0, 0, 0, 400, ...Array.from({ length: 100 }, () => 0)])
      )
      assert.deepStrictEqual([cycles.length, voided], [3, 1])
    })
  )

  it.effect("count when other processes use less", () =>
    Effect.gen(function* () {
      const { cycles, voided } = yield* Cycles.run(row, options).pipe(others([0, 300]))
      assert.deepStrictEqual([cycles.length, voided], [3, 0])
    })
  )

  it.effect("run at most three times the wanted number", () =>
    Effect.gen(function* () {
      const { cycles, voided } = yield* Cycles.run(row, options).pipe(others([0, 900]))
      assert.deepStrictEqual([cycles.length, voided], [0, 9])
    })
  )

  it.effect("count with --keep-disturbed even if disturbed, and are reported as disturbed", () =>
    Effect.gen(function* () {
      const { cycles, disturbed } = yield* Cycles.run(row, { ...options, keepDisturbed: true }).pipe(
        others([0, 900])
      )
      assert.deepStrictEqual([cycles.length, disturbed], [3, 3])
    })
  )

  it.effect("fail with the failing subject", () =>
    Effect.gen(function* () {
      const failing: Subject = {
        name: "failing",
        role: "ours",
        start: Effect.succeed({ measure: () => Effect.fail(new BenchFailed({ reason: "a wrong answer" })) })
      }
      const error = yield* Effect.flip(Cycles.run({ ...row, subjects: [failing] }, options).pipe(quiet))
      assert.strictEqual(error.message, "a wrong answer")
    })
  )
})

describe("a row without available subjects", () => {
  it.effect("is left out, and the report shows each install command once", () =>
    Effect.gen(function* () {
      const missing = row.subjects.filter(({ role }) => role === "peer")
      const alone = { ...row, subjects: [...missing, ...missing] }
      const result = RowResult.ofRow(alone, yield* Cycles.run(alone, options).pipe(quiet))
      const run = { machine, secondsPerMeasurement: 1, peers: true, failed: [] }
      const text = Report.markdown({ ...run, rows: [result] })
      assert.include(text, "\n- T0 Nothing: left out.\n  - other is not installed: `get it`\n")
      assert.lengthOf(text.split("get it"), 2)
    })
  )
})

describe("the report", () => {
  it.effect("shows the median and range of the ratios within cycles, and whether the target is met", () =>
    Effect.gen(function* () {
      const result = RowResult.ofRow(row, yield* Cycles.run(row, options).pipe(quiet))
      const text = Report.markdown({
        machine,
        secondsPerMeasurement: 1,
        peers: true,
        rows: [result],
        failed: [{ id: "T9", title: "Something", reason: "it ended" }]
      })
      assert.include(
        text,
        "|  | raw | 100 requests | 1.00 | 2.00 | 200 | 1.00 | " +
          "**0.90** (0.80–1.00); p99 **1.50** (1.50–1.50) | ≥ 0.85 met; p99 ≤ 1.2 **missed** |"
      )
      assert.include(text, "other is not installed: `get it`")
      assert.include(text, "T9 Something: **void**: it ended")
    })
  )
})

describe("a row with a time as target", () => {
  it.effect("shows our time per operation and whether it meets the target", () =>
    Effect.gen(function* () {
      const starts: Row = {
        ...row,
        unit: "starts",
        subjects: [steady("inferlog", "ours", [1, 0.5, 0.4])],
        targets: {},
        limits: { operationMs: 2_000 }
      }
      const result = RowResult.ofRow(starts, yield* Cycles.run(starts, options).pipe(quiet))
      const run = { machine, secondsPerMeasurement: 1, peers: false, failed: [] }
      assert.include(
        Report.markdown({ ...run, rows: [result] }),
        "| inferlog | 0.50 starts | 1.00 | 3.00 | 1.00 | 1.00 | **2.00** (1.00–2.50) s | s ≤ 2 met |"
      )
      const slower = RowResult.ofRow(
        { ...starts, limits: { operationMs: 1_900 } },
        yield* Cycles.run(starts, options).pipe(quiet)
      )
      assert.include(Report.markdown({ ...run, rows: [slower] }), "s ≤ 1.9 **missed** |")
    })
  )
})

describe("a row with limits", () => {
  it.effect("shows ratios of CPU time and our limits beside what was measured", () =>
    Effect.gen(function* () {
      const limited: Row = {
        ...row,
        subjects: [steady("inferlog", "ours", [50]), steady("raw", "floor", [100])],
        targets: {},
        p99Targets: {},
        cpuTargets: { raw: 1.5 },
        limits: { p99Ms: 3, peakMiB: 0.5 }
      }
      const result = RowResult.ofRow(limited, yield* Cycles.run(limited, options).pipe(quiet))
      const text = Report.markdown({
        machine,
        secondsPerMeasurement: 1,
        peers: false,
        failed: [],
        rows: [result]
      })
      assert.include(text, "p99 **3.00** (3.00–3.00) ms; peak **1.00** (1.00–1.00) MiB")
      assert.include(text, "p99 ms ≤ 3 met; peak MiB ≤ 0.5 **missed**")
      assert.include(text, "CPU **2.00** (2.00–2.00) |")
      assert.include(text, "CPU ≤ 1.5 **missed** |")
    })
  )

  it.effect("shows the limit of a note", () =>
    Effect.gen(function* () {
      const noted: Row = {
        ...row,
        subjects: [
          {
            name: "inferlog",
            role: "ours",
            start: Effect.succeed({
              measure: () =>
                Effect.as(TestClock.adjust("1 second"), {
                  operations: 1,
                  elapsedMs: 1_000,
                  cpuMs: 1,
                  peakRssBytes: 1,
                  notes: { growth: 1.3 }
                })
            })
          }
        ],
        limits: { notes: { growth: 1.2 } }
      }
      const result = RowResult.ofRow(noted, yield* Cycles.run(noted, options).pipe(quiet))
      const text = Report.markdown({
        machine,
        secondsPerMeasurement: 1,
        peers: false,
        failed: [],
        rows: [result]
      })
      assert.include(text, "  - inferlog: growth: 1.30 (≤ 1.2 **missed**)")
    })
  )
})

/** Answers any request and counts its connections. */
const listening = Effect.gen(function* () {
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => http.createServer((_, response) => response.setHeader("content-length", 0).end())),
    (server) => Effect.sync(() => server.close().closeAllConnections())
  )
  let connections = 0
  server.on("connection", () => connections++)
  const port = yield* FreePort.find
  yield* Effect.promise(() => once(server.listen(port, "127.0.0.1"), "listening"))
  return { port, connections: () => connections }
})

describe("the load generator", () => {
  const known = KnownRequests.all[0]
  const request = RequestText.get(`/sandbox/echo/requests/${known?.id}/status`, Inferlog.authorization)

  it.live("measures a server in a separate process", () =>
    Effect.gen(function* () {
      const floor = read(request, 200)
      const { cycles } = yield* Cycles.run(
        { ...row, subjects: [floor] },
        { ...options, cycles: 2, seconds: 0.3, keepDisturbed: true }
      )
      for (const cycle of cycles) {
        const { elapsedMs = 0, latencyMs, operations = 0 } = cycle.get("raw") ?? {}
        // How many depends on the machine and what else it does.
        assert.isAbove(operations, 0)
        assert.isAtLeast(elapsedMs, 300)
        assert.isAtLeast(latencyMs?.p99 ?? 0, latencyMs?.p50 ?? Number.NaN)
      }
      assert.lengthOf(cycles, 2)
    })
  )

  it.live("spreads its connections over all servers", () =>
    Effect.gen(function* () {
      const [first, second] = yield* Effect.all([listening, listening])
      const run = yield* LoadClient.start("two servers")
      const ports = [first.port, second.port] as const
      yield* run({ ports, connections: 6, seconds: 0.1, requests: [request], status: 200 })
      assert.deepStrictEqual([first.connections(), second.connections()], [3, 3])
    })
  )

  it.live("fails a subject that answers with another status", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.scoped(read(request, 304).start))
      assert.strictEqual(error.message, "raw: expected status 304, got 200")
    })
  )
})
