/** A server that is killed while it shows an output: readers come back to it and miss nothing. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as EventClient from "#test/support/EventClient.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const endpoint = "/sandbox/stream"
const outputOf = (id: string) => `${endpoint}/requests/${id}/output/stream`

type Client = EventClient.EventClient

const textOf = (client: Client): string =>
  client
    .events()
    .filter(({ event }) => event === "chunk")
    .map(({ data }) => String(data))
    .join("")

const namesOf = (client: Client) => new Set(client.events().map(({ event }) => event))

describe("Outputs of a killed server", () => {
  it.live(
    "are shown again from the beginning if they were under way, and from the store if they had ended",
    () =>
      Effect.gen(function* () {
        const dataDirectory = yield* TempDirectory.make
        const port = yield* Effect.promise(ServerProcess.freePort)
        const serve = Effect.acquireRelease(
          Effect.promise(() => ServerProcess.start({ dataDirectory, port })),
          (server) => Effect.promise(() => server.kill("SIGKILL"))
        )
        const open = (path: string, more: Pick<EventClient.EventClientOptions, "headers" | "body"> = {}) =>
          EventClient.open({
            port,
            path,
            ...more,
            headers: { ...ServerProcess.authorization, ...more.headers }
          })
        const submit = (body: object) => open(endpoint, { headers: { accept: "text/event-stream" }, body })

        const first = yield* serve
        const ended = yield* submit({ text: "all of it" })
        yield* ended.closed
        const cut = yield* submit({ count: 24, delayMs: 150 })
        yield* cut.until(({ events }) => events().length > 3)
        yield* Effect.promise(() => first.kill("SIGKILL"))
        yield* cut.closed
        assert.notInclude([...namesOf(cut)], "done")
        const idOf = (client: Client) => String(client.events()[0]?.data["request_id"])
        const last = cut.events().at(-1)?.id ?? ""

        yield* serve
        const again = yield* open(outputOf(idOf(cut)), { headers: { "last-event-id": last } })
        const late = yield* open(outputOf(idOf(ended)))
        const resumed = yield* open(outputOf(idOf(ended)), {
          headers: { "last-event-id": ended.events()[1]?.id ?? "" }
        })
        yield* again.closed
        yield* late.closed
        yield* resumed.closed
        // The chunks before the restart are those of the lost run that were stored.
        const restart = again.events().findIndex(({ event }) => event === "restart")
        assert.isAtLeast(restart, 0)
        const whole = again.events().slice(restart + 1)
        assert.lengthOf(whole, 25)
        assert.deepInclude(whole.at(-1)?.data, { status: "COMPLETED", outcome: "succeeded", cost: "0.001" })
        assert.strictEqual(textOf(late), "all of it")
        assert.notInclude([...namesOf(late)], "restart")
        assert.strictEqual(textOf(resumed), "of it")
      }),
    60_000
  )
})
