/**
 * A server of one run whose output arrives as it is made. Each protocol says how it answers and what its events are; the
 * course of a run is the same for all of them. It uses no timers: what must take long waits for `more`.
 */
import { Deferred, Effect, type Scope } from "effect"
import type * as Http from "node:http"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as JsonHttp from "../JsonHttp.ts"

/** `whole`: to its end. The others send one chunk, and then wait, fail, break off, send nonsense or send too much. */
export type Course = "whole" | "held" | "fails" | "cut" | "babbles" | "huge"

export interface StreamingUpstream {
  readonly binding: Omit<ProviderBinding, "name">
  readonly secret: string
  readonly input: Json
  /** What `cut` and the like mean: the run fails, or its end is learnt by other means than the stream. */
  readonly survivesCut: boolean
  readonly plan: (course: Course) => Effect.Effect<void>
  /** Lets a held run go on to its end. */
  readonly more: Effect.Effect<void>
  /** Completes when the server knows that the run is not wanted any more. */
  readonly abandoned: Effect.Effect<void>
  /** Completes when the connection of the stream is closed before its end. */
  readonly disconnected: Effect.Effect<void>
  /** Requests, in order, as `GET /path`. */
  readonly calls: Effect.Effect<ReadonlyArray<string>>
}

/** Of models with `output.stream: text`. */
export const chunks = ["He", "llo", " wörld"] as const
export const output = chunks.join("")

interface Event {
  readonly event?: string
  readonly id?: string
  readonly data: string
}

/** The events of a protocol. */
interface Frames {
  readonly begin?: ReadonlyArray<Event>
  readonly chunk: (chunk: string, index: number) => Event
  readonly end: ReadonlyArray<Event>
  /** In place of `end` for a run that fails, where a test needs it. */
  readonly failure?: Event
  /** An event that the protocol does not have, or with the wrong data. */
  readonly nonsense: Event
  /** Characters of a chunk that is past the limit of one event. */
  readonly tooMany: number
}

interface Run {
  /** Answers with the stream. */
  readonly stream: (response: Http.ServerResponse) => void
  readonly isOver: () => boolean
  readonly isAbandoned: () => boolean
  /** The client or the connection has ended the run. */
  readonly abandon: () => void
  /** Completes when the run is over, unless it was abandoned. */
  readonly onEnd: (go: () => void) => void
}

interface Protocol extends Pick<StreamingUpstream, "secret" | "input" | "survivesCut"> {
  readonly binding: (port: number) => Omit<ProviderBinding, "name">
  readonly frames: Frames
  readonly serve: (request: JsonHttp.JsonRequest, response: Http.ServerResponse, run: Run) => void
}

const frame = ({ data, event, id }: Event): string =>
  `${event === undefined ? "" : `event: ${event}\n`}${id === undefined ? "" : `id: ${id}\n`}${data.replace(/^/gm, "data: ")}\n\n`

export const make = ({
  binding,
  frames,
  serve,
  ...rest
}: Protocol): Effect.Effect<StreamingUpstream, never, Scope.Scope> =>
  Effect.gen(function* () {
    const abandoned = yield* Deferred.make<void>()
    const disconnected = yield* Deferred.make<void>()
    const calls: Array<string> = []
    const atEnd: Array<() => void> = []
    let course: Course = "whole"
    let isOver = false
    let isAbandoned = false
    let goOn: (() => void) | null = null

    const abandon = () => {
      isOver = true
      isAbandoned = true
      Deferred.doneUnsafe(abandoned, Effect.void)
    }

    const end = () => {
      if (isOver) return
      isOver = true
      atEnd.forEach((go) => go())
    }

    const stream = (response: Http.ServerResponse) => {
      const send = (...events: ReadonlyArray<Event>) => response.write(events.map(frame).join(""))
      const [first, ...later] = chunks.map(frames.chunk)
      const finish = () => {
        end()
        send(...later, ...frames.end)
        response.end()
      }
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" })
      response.on("close", () => {
        if (response.writableFinished) return
        Deferred.doneUnsafe(disconnected, Effect.void)
        if (!rest.survivesCut) abandon()
      })
      if (first !== undefined) send(...(frames.begin ?? []), first)
      switch (course) {
        case "whole":
          return finish()
        case "held":
          return void (goOn = finish)
        case "fails":
          end()
          if (frames.failure !== undefined) send(frames.failure)
          return void response.end()
        case "cut":
          end()
          return void response.write("", () => response.destroy())
        case "babbles":
          end()
          send(frames.nonsense)
          return void response.end()
        case "huge":
          end()
          return void send(frames.chunk("x".repeat(frames.tooMany), 1))
      }
    }

    const run: Run = {
      stream,
      isOver: () => isOver,
      isAbandoned: () => isAbandoned,
      abandon,
      onEnd: (go) => atEnd.push(go)
    }
    const { port } = yield* Receiver.http((request, response) => {
      void JsonHttp.read(request).then((read) => {
        if (read === null) return
        calls.push(`${read.method} ${read.path}`)
        serve(read, response, run)
      })
    })
    return {
      ...rest,
      binding: binding(port),
      plan: (planned) => Effect.sync(() => void (course = planned)),
      more: Effect.sync(() => goOn?.()),
      abandoned: Deferred.await(abandoned),
      disconnected: Deferred.await(disconnected),
      calls: Effect.sync(() => [...calls])
    }
  })
