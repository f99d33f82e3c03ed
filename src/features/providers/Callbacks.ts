/**
 * Callback addresses for providers. Each run has its own address, which contains its credential: a MAC over the request
 * and the attempt under the master key. The address only allows a call to the run's adapter.
 */
import * as crypto from "node:crypto"
import { Config, Context, Effect, Layer, Option, Queue, Schedule, type Scope } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import { RequestId } from "#domain/Ids.ts"
import { PublicUrl, PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import * as SameBytes from "#src/kernel/text/SameBytes.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as Setting from "#src/kernel/settings/Setting.ts"
import type { Job } from "./Provider.ts"
import type * as ProviderJson from "./ProviderJson.ts"

export const callbackUrl = Setting.optional({
  name: "CALLBACK_URL",
  config: (name) => Config.schema(PublicUrl, name),
  defaultText: "`BASE_URL`",
  description:
    "the address at which providers call back, if it is not the platform's public address; with several nodes, an address of this node alone",
  accepts: "an `http` or `https` URL without trailing slash, query and fragment",
  example: "http://10.0.0.7:8080"
})

type Run = Pick<Job, "requestId" | "attempt">

export interface Callback {
  /** The body; `undefined` if it is not JSON. */
  readonly json: Json | undefined
  /** What the body is that is not JSON. */
  readonly fault?: ProviderJson.Fault
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The raw bytes, for signatures. */
  readonly rawBody: Uint8Array
}

export interface CallbackAddress {
  readonly url: string
  /** Calls that have arrived, at most 16 at a time; the oldest are dropped. */
  readonly received: Queue.Dequeue<Callback>
}

export class Callbacks extends Context.Service<
  Callbacks,
  {
    /**
     * Listens for calls to the run until the scope ends. The address of a run stays the same after a restart. If
     * `isEnd` is true for a call, it is answered after the end is on the log, so that the provider repeats it if this
     * process dies first.
     */
    open(
      job: Run,
      isEnd?: (callback: Callback) => boolean
    ): Effect.Effect<CallbackAddress, never, Scope.Scope>
    /** Whether `open` gave out the address, on any node. Checked before a body is read. */
    isAddress(address: {
      readonly requestId: string
      readonly attempt: number
      readonly mac: string
    }): boolean
    /**
     * `delivered`; `refused`: wrong credential; `elsewhere`: this node does not follow the run, which has not ended, or
     * cannot record its end now, so the provider should repeat the call; `over`: the run has ended.
     */
    deliver(options: {
      readonly requestId: string
      readonly attempt: number
      readonly mac: string
      readonly callback: Callback
    }): Effect.Effect<"delivered" | "refused" | "elsewhere" | "over">
  }
>()("inferlog/src/features/providers/Callbacks") {
  /** Addresses under `url`, without a trailing slash. `isOver` is asked about runs without a listener. */
  static readonly layerOf = (options: {
    readonly url: string
    readonly isOver: (run: Run) => Effect.Effect<boolean>
  }) =>
    Layer.effect(
      Callbacks,
      Effect.map(MasterKey, ({ keyFor }) => Callbacks.of(make(options, keyFor("callbacks"))))
    )

  /** Under `CALLBACK_URL`, or else the platform's address. */
  static readonly layer = Layer.unwrap(
    Effect.map(
      Effect.all([RequestActors, PublicUrls, callbackUrl.config]),
      ([actors, { baseUrl }, configured]) =>
        this.layerOf({ url: Option.getOrElse(configured, () => baseUrl), isOver: isOverIn(actors) })
    )
  )
}

/** If the log cannot be read, the provider repeats the call. */
const isOverIn = (actors: RequestActors["Service"]) => (run: Run) =>
  Effect.map(actors.refresh(run.requestId), ({ state }) => {
    const isOpen = state._tag === "Request" && "run" in state.phase && state.phase._tag !== "Finalizing"
    return !isOpen || state.attempt !== run.attempt
  }).pipe(Effect.catch(() => Effect.succeed(false)))

/** How long to look for the end on the log after the call that reported it, first often, then less often, ms. */
const recording = Schedule.min([Schedule.exponential(10, 2), Schedule.spaced(500)])
const recordingMs = 5_000

/** The most waiting calls for one run. */
const capacity = 16

interface Listener {
  readonly received: Queue.Queue<Callback>
  readonly isEnd: (callback: Callback) => boolean
}

const make = (
  options: { readonly url: string; readonly isOver: (run: Run) => Effect.Effect<boolean> },
  key: Buffer
): Callbacks["Service"] => {
  const listening = new Map<string, Listener>()
  const nameOf = ({ attempt, requestId }: { readonly requestId: string; readonly attempt: number }) =>
    `${requestId}/${attempt}`
  const macOf = (name: string) => crypto.createHmac("sha256", key).update(name).digest()

  const isAddress: Callbacks["Service"]["isAddress"] = ({ mac, ...run }) =>
    SameBytes.isSame(Buffer.from(mac, "base64url"), macOf(nameOf(run)))

  return {
    isAddress,

    open: Effect.fnUntraced(function* (job, isEnd = () => false) {
      const name = nameOf(job)
      const received = yield* Queue.sliding<Callback>(capacity)
      const listener: Listener = { received, isEnd }
      listening.set(name, listener)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (listening.get(name) === listener) listening.delete(name)
        })
      )
      return { url: `${options.url}/callbacks/${name}/${macOf(name).toString("base64url")}`, received }
    }),

    deliver: Effect.fn("Callbacks.deliver")(function* ({ attempt, callback, mac, requestId }) {
      const name = nameOf({ requestId, attempt })
      if (!isAddress({ requestId, attempt, mac })) return "refused"
      const isOver = options.isOver({ requestId: RequestId.make(requestId), attempt })
      const listener = listening.get(name)
      if (listener === undefined) return (yield* isOver) ? "over" : "elsewhere"
      yield* Queue.offer(listener.received, callback)
      if (!listener.isEnd(callback)) return "delivered"
      const isRecorded = yield* isOver.pipe(
        Effect.repeat({ schedule: recording, until: (isOver) => isOver }),
        Effect.timeoutOption(recordingMs)
      )
      return Option.isSome(isRecorded) ? "delivered" : "elsewhere"
    })
  }
}
