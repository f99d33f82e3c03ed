/** What holds after kills of a server under load: each acknowledged request exists and ends once, and log and books are proved. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Crashes from "#domain/inference-request/Crashes.ts"
import * as Audit from "#src/features/billing/audit/Audit.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import { verifyDirectory } from "#streams/sqlite/SqliteVerify.ts"
import * as Load from "#test/support/Load.ts"
import * as LogOnDisk from "#test/support/LogOnDisk.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

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

const checkAnswers = ({ end, input }: Load.Accepted) => {
  assert.deepStrictEqual(end.input, input)
  if (end.status !== "FAILED") assert.strictEqual(end.status, "COMPLETED")
  assert.strictEqual(end.billingStatus, end.status === "COMPLETED" ? "charged" : "failed")
}

/** The chain, the payloads, `log.head`, each stream, and the books with their read model. */
const checkLog = Effect.fnUntraced(function* (directory: string, accepted: ReadonlyArray<Load.Accepted>) {
  const streams = yield* LogOnDisk.eventsByStream
  const eventsOf = (id: string) => streams.get(StreamName.make("InferenceRequest", id)) ?? []
  for (const { end, id } of accepted) {
    checkStream(eventsOf(id))
    if (end.status === "FAILED") checkCrashes(eventsOf(id))
  }
  for (const [stream, events] of streams) if (stream.startsWith("InferenceRequest-")) checkStream(events)
  const verified = yield* verifyDirectory(directory)
  assert.isAbove(verified.events, accepted.length * 3)
  assert.strictEqual(verified.erasedPayloads, 0)
  const audited = yield* Audit.run(directory, { opened: () => {}, booked: () => {} })
  assert.strictEqual(audited.openRequests, 0)
  assert.strictEqual(audited.readModel._tag, "Agrees")
})

/** Kills and restarts a server under load, then checks all that its clients and its directory know. */
export const killed = Effect.fnUntraced(function* (
  options: Pick<Load.KillOptions, "cycles" | "clients" | "maxAcknowledged">
) {
  const directory = yield* TempDirectory.make
  const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000)
  yield* Effect.sync(() => process.stdout.write(`kill -9: ${options.cycles} cycles, SEED=${seed}\n`))
  const result = yield* Effect.promise(() => Load.killAndRestart({ ...options, directory, seed }))
  const { accepted } = result
  assert.isAbove(accepted.length, options.cycles)
  assert.strictEqual(new Set(accepted.map(({ id }) => id)).size, accepted.length)
  for (const request of accepted) checkAnswers(request)
  yield* checkLog(directory, accepted).pipe(Effect.provide(LogOnDisk.layer(directory)))
  return result
})
