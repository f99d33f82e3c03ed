/** A server that can reach receivers on this machine, and a client's calls about its webhooks. */
import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { WebhookEventName } from "#domain/inference-request/Event.ts"
import type { RequestId } from "#domain/Ids.ts"
import type { DeliveryBody, DetailedBody } from "#src/features/webhooks/views/DeliveryView.ts"
import * as DeliveryIds from "#src/features/requests/DeliveryIds.ts"
import * as Calls from "#test/support/src/platform/cluster/nodes/Calls.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as Until from "#test/support/Until.ts"
import * as WebhookReceiver from "#test/support/WebhookReceiver.ts"

interface Submission {
  readonly webhook: string
  /** Only `completed` by default. */
  readonly events?: ReadonlyArray<WebhookEventName>
  readonly endpoint?: string
  readonly input?: object
}

export interface Client {
  readonly url: string
  readonly call: (path: string, options?: Calls.CallOptions) => Effect.Effect<Calls.Answer>
  /** Returns the id of the request. */
  readonly submit: (submission: Submission) => Effect.Effect<RequestId>
  /** The current state of one delivery. */
  readonly delivery: (id: string) => Effect.Effect<DetailedBody>
  /** Waits until the delivery satisfies the condition, and returns it. Fails after 40 s by default, because a server does it. */
  readonly until: (
    id: string,
    isSo: (delivery: DetailedBody) => boolean,
    limit?: Until.Limit
  ) => Effect.Effect<DetailedBody>
  /** The number of deliveries with that status. */
  readonly count: (status: DeliveryBody["status"]) => Effect.Effect<number>
  readonly secret: Effect.Effect<string>
  /** Memory of the server process, bytes. */
  readonly memory: Effect.Effect<number>
}

/** For the event `completed`. */
export const deliveryOf = (id: RequestId, event: WebhookEventName = "completed") => DeliveryIds.of(id, event)

export const isDelivered = ({ status }: DetailedBody) => status === "delivered"

/** Whether the first attempt has ended. */
export const isTried = ({ attemptHistory: [first] }: DetailedBody) =>
  first !== undefined && (first.responseStatus !== null || first.error !== null)

const memoryLine = /^inferlog_process_resident_memory_bytes (\S+)$/m

/** Calls are not repeated here, so the timeout allows for a busy machine, ms. */
const patienceMs = 30_000

export const make = (url: string): Client => {
  const call = (path: string, options?: Calls.CallOptions) =>
    Effect.promise(() => Calls.call({ url }, path, { patienceMs, ...options }))

  const ok = (path: string, options?: Calls.CallOptions) =>
    Effect.map(call(path, options), ({ body, status }) => {
      assert.strictEqual(status, 200, `${path} answers ${JSON.stringify(body)}`)
      return body
    })

  const delivery = (id: string) =>
    Effect.map(ok(`/webhooks/deliveries/${id}`), (body) => body as object as DetailedBody)

  return {
    url,
    call,
    submit: ({ endpoint = "sandbox/echo", events, input = { value: 1 }, webhook }) =>
      Effect.map(
        ok(`/${endpoint}`, {
          method: "POST",
          body: { ...input, webhook, ...(events && { webhook_events_filter: events }) }
        }),
        (body) => body["request_id"] as RequestId
      ),
    delivery,
    until: (id, isSo, limit = Until.processes) =>
      Until.answers(async () => {
        const { body } = await Calls.call({ url }, `/webhooks/deliveries/${id}`)
        const found = body as object as DetailedBody
        if (!isSo(found)) throw new Error(`it is ${JSON.stringify(found)}`)
        return found
      }, limit),
    count: (status) =>
      Effect.map(ok(`/webhooks/deliveries?limit=1&status=${status}`), (body) => Number(body["total"])),
    secret: Effect.map(ok("/webhooks/default/secret"), (body) => String(body["key"])),
    memory: Effect.promise(async () => {
      const text = await (await fetch(`${url}/metrics`)).text()
      return Number(memoryLine.exec(text)?.[1])
    })
  }
}

export interface StartOptions {
  readonly dataDirectory: string
  readonly env?: Readonly<Record<string, string>>
}

/** Killed with the scope. */
export const start = Effect.fn("Client.start")(function* ({
  dataDirectory,
  env
}: StartOptions): Effect.fn.Return<Client & ServerProcess.ServerProcess, never, Scope.Scope> {
  const port = yield* Effect.promise(ServerProcess.freePort)
  const options = { dataDirectory, port, env: { ...WebhookReceiver.settings, ...env } }
  const server = yield* Effect.acquireRelease(
    Effect.promise(() => ServerProcess.start(options)),
    ({ kill }) => Effect.promise(() => kill("SIGKILL"))
  )
  return { ...server, ...make(server.url) }
})
