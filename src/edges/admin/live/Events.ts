/** What the routes that answer operators with server-sent events share. */
import { Context, Effect, Schema, Stream } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { allows, type Role } from "#domain/operator/Role.ts"
import type * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { Stopping } from "#src/edges/http/Stopping.ts"
import type { Operator } from "#src/features/operators/Operator.ts"

const contentType = "text/event-stream"

export const success = (description: string) =>
  Schema.String.pipe(HttpApiSchema.asText({ contentType })).annotate({ description })

/** JSON contains no line breaks, so it is one line of data. */
export const frame = (event: string, data: unknown, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** Without an event: the id from which a client goes on after a reconnection. */
export const place = (id: number): string => `id: ${id}\n\n`

const keepAliveEvery = "15 seconds"

/** How often the key or session is looked at again. An operator who lost it, or the role, gets no more. */
const readmitEvery = "2 seconds"

/** A client reconnects then. */
const openFor = "2 minutes"

/** How long browsers wait before that, ms. */
const retry = "retry: 500\n\n"

/** Streams that are open on a node at a time. */
const most = 64

const tooMany = ErrorAnswer.busy(`This node serves ${most} readers of live views already.`, 5)

/** How operators are found, to find them again while a stream is open. */
export class Readmission extends Context.Service<Readmission, DeclaredRoutes.Admit<Operator>>()(
  "inferlog/src/edges/admin/live/Readmission"
) {}

/** Who reads, and the role that the stream needs. */
interface Reader {
  readonly request: HttpServerRequest
  readonly role: Role
}

/**
 * Answers with the frames until they end, two minutes are over, the reader leaves, is no operator of that role any more, or the
 * server stops.
 */
export const make = Effect.gen(function* () {
  const stopping = yield* Stopping
  const admit = (yield* Readmission)(null, "none")
  let open = 0

  /** Ends when the reader may read no more. */
  const refused = ({ request, role }: Reader) =>
    Effect.suspend(() => admit(request)).pipe(
      Effect.match({ onFailure: () => false, onSuccess: ({ caller }) => allows(caller.role, role) }),
      Effect.delay(readmitEvery),
      Effect.repeat({ while: (isAllowed) => isAllowed })
    )
  const place = Effect.acquireRelease(
    Effect.sync(() => void open++),
    () => Effect.sync(() => void open--)
  )
  return <E>(reader: Reader, frames: Stream.Stream<string, E>) => {
    if (open >= most) return Effect.fail(tooMany)
    const alive = Stream.drop(Stream.tick(keepAliveEvery), 1).pipe(Stream.map(() => ": keep-alive\n\n"))
    const served = Stream.make(retry).pipe(
      Stream.concat(Stream.merge(frames, alive, { haltStrategy: "left" })),
      Stream.interruptWhen(Effect.raceAll([Effect.sleep(openFor), stopping, refused(reader)]))
    )
    return Effect.succeed(
      HttpServerResponse.stream(Stream.encodeText(Stream.unwrap(Effect.as(place, served))), {
        contentType,
        headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
      })
    )
  }
})
