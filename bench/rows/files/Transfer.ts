/** Subjects that upload and download large files in sequence. */
import { Effect, type Scope } from "effect"
import * as Metering from "../../harness/Metering.ts"
import type { BenchFailed, Measurement, Subject, Unavailable } from "../../harness/Subject.ts"
import * as TransferClient from "../../harness/TransferClient.ts"
import type { FileServer } from "../../subjects/files/FileServer.ts"

export const MiB = 2 ** 20

export interface MeasuredServer {
  readonly name: string
  readonly role: Subject["role"]
  readonly serve: Effect.Effect<FileServer, BenchFailed | Unavailable, Scope.Scope>
}

/** Size of a warm-up file, enough for hot code to be compiled. */
const warmUpBytes = 64 * MiB

const millis = Effect.sync(() => performance.now())

/** A result with its duration in ms. */
export const timed = Effect.fnUntraced(function* <A, E>(effect: Effect.Effect<A, E>) {
  const since = yield* millis
  const value = yield* effect
  return { value, elapsedMs: (yield* millis) - since }
})

/** @param move returns its duration in ms. Repeats it until the total reaches `seconds`; at least once. */
const repeated = Effect.fnUntraced(function* (
  seconds: number,
  bytes: number,
  move: Effect.Effect<number, BenchFailed>
) {
  let operations = 0
  let elapsedMs = 0
  do {
    elapsedMs += yield* move
    operations += bytes / MiB
  } while (elapsedMs < 1_000 * seconds)
  return { operations, elapsedMs } satisfies Partial<Measurement>
})

/** The removal of the uploaded file is not timed. */
export const upload = ({ name, role, serve }: MeasuredServer, bytes: number): Subject => ({
  name,
  role,
  start: Effect.gen(function* () {
    const server = yield* serve
    const client = yield* TransferClient.start(name)
    const move = Effect.fnUntraced(function* (size: number) {
      const { elapsedMs, value } = yield* timed(server.upload(client, size))
      yield* value.remove
      return elapsedMs
    })
    yield* move(Math.min(bytes, warmUpBytes))
    return { measure: (seconds) => Metering.meter(server.pids, repeated(seconds, bytes, move(bytes))) }
  })
})

/** Downloads one file, which may be in the system's page cache. */
export const download = ({ name, role, serve }: MeasuredServer, bytes: number): Subject => ({
  name,
  role,
  start: Effect.gen(function* () {
    const server = yield* serve
    const client = yield* TransferClient.start(name)
    const { path } = yield* server.upload(client, bytes)
    const move = Effect.map(
      timed(client.get({ port: server.port, path, bytes })),
      ({ elapsedMs }) => elapsedMs
    )
    yield* move
    return { measure: (seconds) => Metering.meter(server.pids, repeated(seconds, bytes, move)) }
  })
})
