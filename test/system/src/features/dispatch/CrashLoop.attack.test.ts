/** The server is killed repeatedly during the same run, as if its input crashed the server. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Crashes from "#domain/inference-request/Crashes.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as LogOnDisk from "#test/support/LogOnDisk.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as WebhookReceiver from "#test/support/WebhookReceiver.ts"
import { figure } from "#test/support/attacks/Form.ts"
import * as Until from "#test/support/Until.ts"

const others = figure({ short: 20, long: 500 })

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

const call = (server: ServerProcess.ServerProcess, path: string, input?: object) =>
  Effect.promise(async (): Promise<Answer> => {
    const response = await fetch(server.url + path, {
      headers: { ...ServerProcess.authorization, "content-type": "application/json" },
      ...(input !== undefined && { method: "POST", body: JSON.stringify(input) })
    })
    return { status: response.status, body: (await response.json()) as Answer["body"] }
  })

const submit = (server: ServerProcess.ServerProcess, webhook?: string) =>
  Effect.map(
    call(server, "/sandbox/slow", { seconds: 3_600, ...(webhook !== undefined && { webhook }) }),
    ({ body }) => String(body["request_id"])
  )

/** Reads the log of the running server until `isSo` holds. */
const untilLog = (
  directory: string,
  isSo: (events: (id: string) => ReadonlyArray<RecordedEvent>) => boolean
) =>
  Until.polled(
    "events on the log",
    LogOnDisk.eventsByStream,
    (streams) => isSo((id) => streams.get(StreamName.make("InferenceRequest", id)) ?? []),
    Until.processes
  ).pipe(Effect.provide(LogOnDisk.layer(directory)))

const started = (events: ReadonlyArray<RecordedEvent>) =>
  events.filter(({ type }) => type === "DispatchStarted").length

const start = (directory: string) =>
  Effect.promise(async () =>
    ServerProcess.start({
      dataDirectory: directory,
      port: await ServerProcess.freePort(),
      env: WebhookReceiver.settings
    })
  )

const kill = (server: ServerProcess.ServerProcess) => Effect.promise(() => server.kill("SIGKILL"))

describe("A1: an input that crashes the server", () => {
  it.live(
    "ends FAILED at the third crash in a row, without a charge, with its hold released and its webhook sent",
    () =>
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        const receiver = yield* WebhookReceiver.make()
        let server = yield* start(directory)
        const id = yield* submit(server, receiver.url("/poison"))
        for (const run of [1, 2, 3]) {
          yield* untilLog(directory, (of) => started(of(id)) === run)
          yield* kill(server)
          server = yield* start(directory)
        }
        yield* untilLog(directory, (of) => of(id).some(({ type }) => type === "RequestFailed"))
        const { body } = yield* call(server, `/requests/${id}`)
        assert.deepInclude(body, { status: "FAILED", error: Crashes.message, billingStatus: "failed" })
        assert.deepInclude((yield* call(server, "/account/balance")).body, {
          balance: "1000000",
          reserved: "0"
        })
        const arrived = yield* Until.polled(
          "a post",
          Effect.sync(() => receiver.posts().length),
          (count) => count > 0,
          Until.processes
        )
        assert.strictEqual(arrived, 1)
        assert.deepInclude(JSON.parse(String(receiver.posts()[0]?.body)), {
          event: "completed",
          status: "FAILED",
          error: Crashes.message
        })
        yield* kill(server)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    `does not start ${others} other runs again at every crash`,
    () =>
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        let server = yield* start(directory)
        const ids = yield* Effect.forEach(
          Array.from({ length: others }),
          () => Effect.suspend(() => submit(server)),
          { concurrency: 10 }
        )
        yield* untilLog(directory, (of) => ids.every((id) => started(of(id)) === 1))
        yield* kill(server)
        server = yield* start(directory)
        yield* untilLog(directory, (of) => ids.some((id) => started(of(id)) === 2))
        yield* kill(server)
        server = yield* start(directory)
        yield* untilLog(directory, (of) => ids.every((id) => of(id).at(-1)?.type !== "DispatchStarted"))
        yield* kill(server)
        const crashes = yield* Effect.map(LogOnDisk.eventsByStream, (streams) =>
          ids.map((id) =>
            Math.max(
              ...(streams.get(StreamName.make("InferenceRequest", id)) ?? []).map(({ data }) =>
                Number(data["crashes"] ?? 0)
              )
            )
          )
        ).pipe(Effect.provide(LogOnDisk.layer(directory)))
        assert.isAtLeast(Math.min(...crashes), 1)
        // One run started, and perhaps others before this process noticed.
        assert.isAtMost(crashes.filter((count) => count > 1).length, 3)
      }).pipe(Effect.scoped),
    120_000
  )
})
