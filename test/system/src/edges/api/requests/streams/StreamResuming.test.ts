/**
 * Clients that are cut off at any byte, with a server that is killed and restarted: each receives exactly what the
 * log says, once and in order.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule, Stream } from "effect"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { evolve, initial, isTerminal, type State } from "#domain/inference-request/State.ts"
import { status } from "#domain/inference-request/Status.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as EventClient from "#test/support/EventClient.ts"
import * as LogOnDisk from "#test/support/LogOnDisk.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000)

const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

interface Change {
  readonly id: string
  readonly requestId: string
  readonly status: string
}

/** The expected events for clients, from the log alone. */
const changesOnLog = Effect.gen(function* () {
  const reader = yield* EventReader
  const events = yield* Stream.runCollect(reader.readAll(GlobalPosition.beginning))
  const states = new Map<string, State>()
  const changes: Array<Change> = []
  for (const event of events) {
    const { position, stream } = event
    if (StreamName.categoryOf(stream) !== InferenceRequest.aggregate.category) continue
    const before = states.get(stream) ?? initial
    const after = evolve(before, InferenceRequest.aggregate.codec.decode(event))
    states.set(stream, after)
    if (after._tag !== "Request") continue
    const word = status(after)
    if (before._tag === "Request" && status(before) === word) continue
    changes.push({ id: position, requestId: StreamName.idOf(stream), status: word })
  }
  const isOver = [...states.values()].every((state) => state._tag === "Request" && isTerminal(state.phase))
  return { changes, isOver }
})

/** The start of a stream without an id. */
interface Beginning {
  /** The number of changes at the start: later ones follow as new changes. */
  readonly count: number
  /** The number of changes when the open requests were read; what changed since is not included. */
  readonly seen: number
}

const openAt = (changes: ReadonlyArray<Change>, { count, seen }: Beginning) => {
  const last = new Map(changes.slice(0, seen).map((change) => [change.requestId, change]))
  return changes
    .slice(0, count)
    .filter((change) => last.get(change.requestId) === change && change.status.startsWith("IN_"))
}

/**
 * Equivalent positions. A stream that is cut off during the open requests continues with every change after the last
 * one read.
 */
const beginnings = (changes: ReadonlyArray<Change>, told: ReadonlyArray<Change>) => {
  const counts = Array.from({ length: changes.length + 1 }, (_, count) => count)
  return counts.flatMap((count) =>
    counts.slice(count).flatMap((seen) => {
      const open = openAt(changes, { count, seen })
      return Array.from({ length: open.length + 1 }, (_, read) => {
        const last = open[read - 1]
        return {
          open,
          read,
          from: read === open.length || last === undefined ? count : changes.indexOf(last) + 1
        }
      }).filter(
        ({ from, read }) => (read > 0 || open.length === 0) && read + changes.length - from === told.length
      )
    })
  )
}

/** Whether some starting point explains exactly what the client received. */
const isExplained = (told: ReadonlyArray<Change>, changes: ReadonlyArray<Change>): boolean =>
  beginnings(changes, told).some(({ from, open, read }) =>
    isSame(told, [...open.slice(0, read), ...changes.slice(from)])
  )

interface Client {
  readonly name: string
  readonly random: (below: number) => number
  /** From the streams that were cut off. */
  readonly before: ReadonlyArray<Change>
  stream: EventClient.EventClient | null
}

const received = ({ before, stream }: Client): ReadonlyArray<Change> => [
  ...before,
  ...(stream?.events() ?? []).map(({ data, id }) => ({
    id: id ?? "",
    requestId: String(data["request_id"]),
    status: String(data["status"])
  }))
]

/** Reads until it is interrupted, and reconnects whenever it is cut off, which it causes itself. */
const read = (port: number, client: { -readonly [field in keyof Client]: Client[field] }) =>
  Effect.gen(function* () {
    const last = client.before.at(-1)?.id
    client.stream = yield* EventClient.open({
      port,
      path: "/requests/stream",
      bytes: 200 + client.random(8_000),
      headers: { ...ServerProcess.authorization, ...(last !== undefined && { "last-event-id": last }) }
    })
    yield* client.stream.closed
    client.before = received(client)
    client.stream = null
  }).pipe(Effect.scoped, Effect.repeat(Schedule.spaced("20 millis")))

const submit = (url: string, random: (below: number) => number) =>
  Effect.promise(async () => {
    const model = ["echo", "fail", "provider-fail"][random(3)]
    const delayMs = random(4) * 40
    await fetch(`${url}/sandbox/${model}`, {
      method: "POST",
      headers: { ...ServerProcess.authorization, "content-type": "application/json" },
      body: JSON.stringify(model === "echo" ? { value: 1, delayMs } : { delayMs })
    }).then(
      (response) => response.text(),
      () => ""
    )
  })

const requests = 20

describe("streams over disconnects and restarts", () => {
  it.live(
    `send each client each change once and in order (SEED=${seed})`,
    () =>
      Effect.gen(function* () {
        const random = randomOf(seed)
        const directory = yield* TempDirectory.make
        const port = yield* Effect.promise(ServerProcess.freePort)
        const started = Effect.acquireRelease(
          Effect.promise(() => ServerProcess.start({ dataDirectory: directory, port })),
          ({ kill }) => Effect.promise(() => kill("SIGKILL"))
        )
        const work = Effect.fnUntraced(function* ({ url }: ServerProcess.ServerProcess) {
          yield* Effect.forEach(Array.from({ length: requests }), () => submit(url, random), {
            concurrency: 3
          })
        })
        const clients = ["from the start", "also", "later"].map((name, index): Client => ({
          name,
          random: randomOf(seed + 1 + index),
          before: [],
          stream: null
        }))
        const begin = (clients: ReadonlyArray<Client>) =>
          Effect.forEach(clients, (client) => Effect.forkChild(read(port, client)))

        const first = yield* started
        yield* begin(clients.slice(0, 2))
        yield* work(first)
        yield* begin(clients.slice(2))
        yield* Effect.promise(() => first.kill("SIGKILL"))
        const second = yield* started
        yield* work(second)

        const log = LogOnDisk.layer(directory)
        const { changes } = yield* Effect.repeat(Effect.provide(changesOnLog, log), {
          until: ({ isOver }) => isOver,
          schedule: Schedule.spaced("100 millis")
        })
        const last = changes.at(-1)
        yield* Effect.forEach(clients, (client) =>
          Effect.repeat(
            Effect.sync(() => received(client).at(-1)?.id === last?.id),
            {
              until: (isThere) => isThere,
              schedule: Schedule.spaced("20 millis")
            }
          )
        ).pipe(
          Effect.timeoutOrElse({
            duration: "20 seconds",
            orElse: () =>
              Effect.die(
                new Error(`SEED=${seed}: ${JSON.stringify(clients.map((client) => received(client).at(-1)))}`)
              )
          })
        )
        assert.isAbove(changes.length, 2 * requests)
        for (const client of clients) {
          const told = received(client)
          assert.isTrue(
            isExplained(told, changes),
            `SEED=${seed}, ${client.name}: ${JSON.stringify({ told, changes })}`
          )
        }
      }).pipe(Effect.scoped),
    60_000
  )
})

const isSame = (a: ReadonlyArray<Change>, b: ReadonlyArray<Change>): boolean =>
  JSON.stringify(a) === JSON.stringify(b)
