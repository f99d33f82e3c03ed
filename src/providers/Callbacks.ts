/**
 * Where providers call back. Each run has an address of its own that carries its credential: a MAC over the request and the
 * attempt, made with the master key. Whoever knows it may tell the run's provider adapter something, and nothing else.
 */
import { Context, type Effect, type Queue, type Scope } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Job } from "./Provider.ts"

export interface Callback {
  /** The body. */
  readonly json: Json
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** As it was sent, for signatures over it. */
  readonly rawBody: Uint8Array
}

export interface CallbackAddress {
  readonly url: string
  /** What has arrived, at most 16 at a time: the oldest give way. */
  readonly received: Queue.Dequeue<Callback>
}

export class Callbacks extends Context.Service<
  Callbacks,
  {
    /** Listens for the run until the scope ends; the same address for the same run, also after a restart. */
    open(job: Pick<Job, "requestId" | "attempt">): Effect.Effect<CallbackAddress, never, Scope.Scope>
    /**
     * What the route does with a call: `delivered`; `refused` (a wrong credential); `elsewhere` (nobody listens here, and the
     * request has not ended: try again); `over` (the run has ended).
     */
    deliver(options: {
      readonly requestId: string
      readonly attempt: number
      readonly mac: string
      readonly callback: Callback
    }): Effect.Effect<"delivered" | "refused" | "elsewhere" | "over">
  }
>()("inferlog/src/providers/Callbacks") {}
