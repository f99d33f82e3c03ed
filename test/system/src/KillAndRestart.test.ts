/**
 * `kill -9` under load, repeatedly: every acknowledged request exists and ends once, and the log is intact (security,
 * "Invariants after every crash or seed").
 * @first It takes long, so at the end it would run alone.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Crashes from "#domain/inference-request/Crashes.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import { verifyDirectory } from "#streams/sqlite/SqliteVerify.ts"
import * as Load from "#test/support/Load.ts"
import * as LogOnDisk from "#test/support/LogOnDisk.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const cycles = Number(process.env["KILL_CYCLES"] ?? 25)
const clients = 20
/** The most acknowledgements between a restart and the next kill. */
const maxAcknowledged = 40

/** How long an empty process takes on two idle cores, ms. */
const bareMsAlone = 300

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Infinity

const terminal = new Set(["RequestCompleted", "RequestFailed", "RequestForceFailed", "RequestCancelled"])

const attemptsOf = (events: ReadonlyArray<RecordedEvent>, type: string) =>
  events.filter((event) => event.type === type).map((event) => event.data["attempt"])

/** One terminal event, followed only by ignored reports; each run is recorded once. */
const checkStream = (events: ReadonlyArray<RecordedEvent>) => {
  const ends = events.filter((event) => terminal.has(event.type))
  assert.strictEqual(ends.length, 1, `${events[0]?.stream} has one end`)
  const dispatched = attemptsOf(events, "DispatchStarted")
  assert.deepStrictEqual(
    dispatched,
    dispatched.map((_, index) => index + 1)
  )
  for (const type of ["RequestStarted", "OutputReceived"]) {
    const attempts = attemptsOf(events, type)
    assert.strictEqual(new Set(attempts).size, attempts.length, `${type} once for each run`)
  }
}

/** Requests that ran at three kills in a row count as the cause of the crashes; no other request fails. */
const checkCrashes = (events: ReadonlyArray<RecordedEvent>) => {
  const requeued = events.filter(({ type }) => type === "RequestRequeued")
  assert.deepStrictEqual(
    requeued.slice(-2).map(({ data }) => data["crashes"]),
    [1, 2]
  )
  assert.strictEqual(events.find(({ type }) => type === "RequestFailed")?.data["message"], Crashes.message)
}

describe("kill -9", () => {
  it.live(
    "loses no acknowledged request, records no run twice, and leaves a valid log",
    () =>
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000)
        yield* Effect.sync(() => process.stdout.write(`kill -9: ${cycles} cycles, SEED=${seed}\n`))
        const { accepted, bareMs, readyMs } = yield* Effect.promise(() =>
          Load.killAndRestart({ directory, cycles, clients, maxAcknowledged, seed })
        )
        assert.isAbove(accepted.length, cycles)
        assert.strictEqual(new Set(accepted.map(({ id }) => id)).size, accepted.length)
        for (const { end, input } of accepted) {
          assert.deepStrictEqual(end.input, input)
          if (end.status !== "FAILED") assert.strictEqual(end.status, "COMPLETED")
          assert.strictEqual(end.billingStatus, end.status === "COMPLETED" ? "charged" : "failed")
        }
        const failed = accepted.filter(({ end }) => end.status === "FAILED")
        assert.isBelow(failed.length, accepted.length / 20)
        // A busy machine starts processes slowly.
        const limit = Math.max(2_000, (2_000 / bareMsAlone) * median(bareMs))
        assert.isAtMost(median(readyMs), limit, "ready again, median ms")

        yield* Effect.gen(function* () {
          const streams = yield* LogOnDisk.eventsByStream
          const eventsOf = (id: string) => streams.get(StreamName.make("InferenceRequest", id)) ?? []
          for (const { id } of accepted) checkStream(eventsOf(id))
          for (const { id } of failed) checkCrashes(eventsOf(id))
          for (const [stream, events] of streams)
            if (stream.startsWith("InferenceRequest-")) checkStream(events)
          const verified = yield* verifyDirectory(directory)
          assert.isAbove(verified.events, accepted.length * 3)
          assert.strictEqual(verified.erasedPayloads, 0)
        }).pipe(Effect.provide(LogOnDisk.layer(directory)))
      }),
    300_000
  )
})
