/**
 * The wall clock is changed by hours under a running server and stays changed after a restart.
 * @first It takes long, so at the end it would run alone.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FakeTime from "#test/support/FakeTime.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Attacked from "#test/support/attacks/Attacked.ts"
import { figure } from "#test/support/attacks/Form.ts"
import * as Until from "#test/support/Until.ts"

const hourMs = 3_600_000
/** Longer than any operation here, and much shorter than any clock change. */
const patienceMs = 60_000

const steps = [
  { direction: "back", sign: -1 },
  { direction: "ahead", sign: 1 }
] as const
const hours = figure({ short: 6, long: 48 })

const submit = async (
  { url }: ServerProcess.ServerProcess,
  model: string,
  input: object,
  headers: Readonly<Record<string, string>> = {}
) => {
  const response = await fetch(`${url}/sandbox/${model}`, {
    method: "POST",
    headers: { ...ServerProcess.authorization, "content-type": "application/json", ...headers },
    body: JSON.stringify(input)
  })
  return String(Object(await response.json())["request_id"])
}

const read = (server: ServerProcess.ServerProcess, id: string) =>
  Effect.promise(() => Attacked.json(`${server.url}/requests/${id}`))

const isTerminal = (request: Readonly<Record<string, unknown>>) =>
  !["IN_QUEUE", "IN_PROGRESS"].includes(String(request["status"]))

const ended = (server: ServerProcess.ServerProcess, id: string) =>
  Until.polled(`the end of ${id}`, read(server, id), isTerminal, { limitMs: patienceMs })

const untilStatus = (server: ServerProcess.ServerProcess, id: string, status: string) =>
  Until.polled(`${status} of ${id}`, read(server, id), (request) => request["status"] === status, {
    limitMs: patienceMs
  })

const durations = (request: Readonly<Record<string, unknown>>) => [
  Number(request["inferenceTime"]),
  Number(request["delayTime"])
]

describe.skipIf(FakeTime.library === undefined)(
  `E5: a wall clock that is changed${FakeTime.library === undefined ? " (skipped: libfaketime is not installed)" : ""}`,
  () => {
    for (const { direction, sign } of steps) {
      it.live(
        `by ${hours} hours ${direction}: retries, deadlines and durations stay correct, also after a restart`,
        () =>
          Effect.gen(function* () {
            const directory = yield* TempDirectory.make
            const time = FakeTime.make(yield* TempDirectory.make)
            const start = Effect.promise(async () =>
              ServerProcess.start({
                dataDirectory: directory,
                port: await ServerProcess.freePort(),
                env: time.env
              })
            )
            const before = yield* start
            const submitted = (model: string, input: object, headers?: Readonly<Record<string, string>>) =>
              Effect.promise(() => submit(before, model, input, headers))
            const running = yield* submitted("slow", { seconds: 3 })
            const retrying = yield* submitted("flaky", { failures: 4 })
            const expiring = yield* submitted("slow", { seconds: 3_600 }, { "cancel-after": "10" })
            yield* untilStatus(before, running, "IN_PROGRESS")
            time.set(`${sign < 0 ? "-" : "+"}${hours}h`)

            const fresh = yield* submitted("echo", { value: 1, delayMs: 200 })
            const answered = yield* ended(before, fresh)
            assert.deepInclude(answered, { status: "COMPLETED" })
            const shown = Date.parse(String(answered["createdAt"])) - Date.now()
            assert.closeTo(shown, sign * hours * hourMs, patienceMs)
            const ran = yield* ended(before, running)
            assert.deepInclude(ran, { status: "COMPLETED", billingStatus: "charged" })
            assert.isAtLeast(durations(ran)[0] ?? NaN, 2_900)
            assert.deepInclude(yield* ended(before, retrying), { status: "COMPLETED" })
            // When the server stops, one request waits for a retry and one runs.
            const waiting = yield* submitted("flaky", { failures: 4 })
            const late = yield* submitted("slow", { seconds: 3_600 }, { "cancel-after": "10" })
            assert.strictEqual(yield* Effect.promise(() => before.kill("SIGTERM")), 0)

            const after = yield* start
            const anew = yield* Effect.promise(() => submit(after, "flaky", { failures: 2 }))
            for (const id of [anew, waiting])
              assert.deepInclude(yield* ended(after, id), { status: "COMPLETED" })
            for (const id of [expiring, late])
              assert.deepInclude(yield* ended(after, id), { status: "CANCELLED", outcome: "expired" })
            for (const id of [fresh, running, retrying, waiting, anew])
              for (const duration of durations(yield* read(after, id))) {
                assert.isAtLeast(duration, 0)
                assert.isAtMost(duration, 2 * patienceMs)
              }
            yield* Effect.promise(() => after.kill("SIGKILL"))
          }).pipe(Effect.scoped),
        300_000
      )
    }
  }
)
