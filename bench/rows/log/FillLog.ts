/**
 * Adds realistic requests to the log of a data directory. Arguments: directory, number of requests. With an account they are
 * its own and recent, so that a server erases none of them, and with a model, too, they wait for it.
 */
import process from "node:process"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Stream } from "effect"
import { EventStore } from "#streams/EventStore.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as RequestLives from "./RequestLives.ts"

/** Appends per transaction. */
const atOnce = 1_000

const [directory = "", requests, account, model] = process.argv.slice(2)

const appends = () => {
  const count = Number(requests)
  if (account === undefined) return RequestLives.appends(count)
  const from = Date.now() - RequestLives.spanOf(count)
  const submissions = RequestLives.submissionsOf([model ?? "sandbox/echo"], [account])
  return model === undefined
    ? RequestLives.appends(count, submissions, from)
    : RequestLives.submits(count, submissions, from)
}

const fill = Effect.gen(function* () {
  const { append } = yield* EventStore
  yield* Stream.fromIterable(appends(), { chunkSize: atOnce }).pipe(
    Stream.chunks,
    Stream.runForEach(Effect.forEach(append, { concurrency: "unbounded", discard: true }))
  )
})

fill.pipe(Effect.provide(SqliteEventStore.layer(directory)), NodeRuntime.runMain)
