import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Logger, Metric, References } from "effect"
import { TestClock } from "effect/testing"
import type { Exchange } from "#src/edges/http/edge/Exchanges.ts"
import * as AccessLog from "#src/edges/http/observed/AccessLog.ts"
import { LogRateLimit } from "#src/platform/telemetry/logs/LogRateLimit.ts"
import * as Families from "#src/platform/telemetry/metrics/Families.ts"

interface Line {
  readonly message: unknown
  readonly annotations: Readonly<Record<string, unknown>>
}

const route = "/:ownerName/:modelName"

const exchange = (fields: Partial<Exchange> = {}): Exchange => ({
  correlationId: "rq1",
  method: "POST",
  route,
  status: 200,
  durationMs: 1.23456,
  ...fields
})

const capture = (lines: Array<Line>) =>
  Logger.layer([
    Logger.map(
      Logger.formatStructured,
      ({ annotations, message }) => void lines.push({ message, annotations })
    )
  ])

/** The log lines while `body` reports exchanges and lets time pass. */
const linesOf = (
  body: (report: (exchange: Exchange) => void) => Effect.Effect<void>,
  settings: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function* () {
    const lines: Array<Line> = []
    const registry = new Map()
    const settled = Effect.gen(function* () {
      yield* body(yield* AccessLog.make)
      yield* TestClock.adjust("1 millis")
    }).pipe(
      Effect.provide(LogRateLimit.layer),
      Effect.provide(
        Layer.mergeAll(capture(lines), ConfigProvider.layer(ConfigProvider.fromUnknown(settings)))
      ),
      Effect.scoped,
      Effect.provideService(Metric.MetricRegistry, registry)
    )
    yield* settled
    const suppressed = (kind: string) =>
      Effect.map(
        Metric.value(Families.logLinesSuppressed.of(kind)).pipe(
          Effect.provideService(Metric.MetricRegistry, registry)
        ),
        ({ count }) => count
      )
    return { lines, suppressed }
  })

const requests = (lines: ReadonlyArray<Line>) => lines.filter(({ message }) => message === "HTTP request")
const accounts = (lines: ReadonlyArray<Line>) =>
  lines.filter(({ message }) => message === "Log lines were dropped").map(({ annotations }) => annotations)

describe("the access log", () => {
  it.effect("logs each call with its result", () =>
    Effect.gen(function* () {
      const { lines } = yield* linesOf((report) => Effect.sync(() => report(exchange())))
      assert.deepStrictEqual(lines, [
        {
          message: "HTTP request",
          annotations: { request_id: "rq1", method: "POST", route, status: 200, duration_ms: 1.235 }
        }
      ])
    })
  )

  it.effect("logs a limited number per second and route, and reports how many were omitted", () =>
    Effect.gen(function* () {
      const { lines, suppressed } = yield* linesOf(
        (report) =>
          Effect.gen(function* () {
            for (let i = 0; i < 1_000; i++) report(exchange())
            yield* TestClock.adjust("1 seconds")
            for (let i = 0; i < 5; i++) report(exchange())
            yield* TestClock.adjust("10 seconds")
          }),
        { LOG_REQUESTS_PER_SECOND: "3" }
      )
      assert.lengthOf(requests(lines), 6)
      assert.deepStrictEqual(accounts(lines), [{ kind: route, count: 999 }])
      assert.strictEqual(yield* suppressed(route), 999)
    })
  )

  it.effect("logs nothing of a route at rate 0 except server errors", () =>
    Effect.gen(function* () {
      const { lines } = yield* linesOf(
        (report) =>
          Effect.sync(() => {
            report(exchange())
            report(exchange({ status: 500 }))
            report(exchange({ status: 503 }))
            report(exchange({ status: 499 }))
          }),
        { LOG_REQUESTS_PER_SECOND: "0" }
      )
      assert.deepStrictEqual(
        requests(lines).map(({ annotations }) => annotations["status"]),
        [500, 503]
      )
      // Logs the rest at the end.
      assert.deepStrictEqual(accounts(lines), [{ kind: route, count: 2 }])
    })
  )

  it.effect("is bounded for server errors too, and within one moment", () =>
    Effect.gen(function* () {
      const { lines, suppressed } = yield* linesOf(
        (report) =>
          Effect.sync(() => {
            for (let i = 0; i < 150; i++) report(exchange({ status: 500 }))
            for (let i = 0; i < 2_000; i++) report(exchange({ route: "/health" }))
          }),
        { LOG_REQUESTS_PER_SECOND: "5000" }
      )
      assert.lengthOf(requests(lines), 1_000)
      assert.strictEqual(yield* suppressed(`5xx ${route}`), 50)
      assert.strictEqual(yield* suppressed("/health"), 1_100)
    })
  )

  it.effect("counts each route separately, and logs nothing where Info is disabled", () =>
    Effect.gen(function* () {
      const report = (report: (exchange: Exchange) => void) =>
        Effect.sync(() => {
          for (let i = 0; i < 10; i++) {
            report(exchange())
            report(exchange({ route: "/health" }))
          }
        })
      assert.lengthOf((yield* linesOf(report)).lines, 20)
      const quiet = linesOf(report).pipe(Effect.provideService(References.MinimumLogLevel, "Warn"))
      assert.lengthOf((yield* quiet).lines, 0)
    })
  )
})
