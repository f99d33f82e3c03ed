/** `Administration` for commands: through the running server, or on the log itself when none runs. */
import { Effect, Layer, Option, Schedule } from "effect"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as AdminClient from "#src/edges/admin/AdminClient.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as Remote from "./remote/Remote.ts"
import * as DataLock from "#streams/DataLock.ts"
import type { Administration } from "#src/edges/admin/Administration.ts"
import * as ExistingLog from "./ExistingLog.ts"

/** Loaded only when no server runs: loading takes most of a command's time. */
const local = Effect.promise(async () => (await import("./LocalAccess.ts")).layer)

/** The client of the running server. None when no server runs; then the directory is locked until the scope ends. */
const clientOrLock = Effect.gen(function* () {
  const isFree = yield* DataLock.acquire(yield* DataDirectory).pipe(
    Effect.as(true),
    Effect.catchTag("DataDirectoryLocked", () => Effect.succeed(false))
  )
  return isFree ? Option.none() : Option.some(yield* AdminClient.open)
})

/** Waits up to 5 s for a server that is starting or stopping, and for another command. */
const patiently = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.retry(effect, {
    schedule: Schedule.spaced("100 millis"),
    times: 50,
    while: ({ _tag }) => _tag === "ServerUnreachable" || _tag === "DataDirectoryLocked"
  })

export const runningServer = patiently(clientOrLock)

const here = Layer.effectContext(
  Effect.scoped(clientOrLock).pipe(
    Effect.flatMap(Option.match({ onNone: () => local, onSome: Effect.succeed })),
    Effect.flatMap((found) => Layer.build(Layer.fresh(found))),
    patiently
  )
)

/** Through the server elsewhere that flags, variables or a profile name, or else on this machine. */
const orElsewhere = <E, R>(here: Layer.Layer<Administration, E, R>) =>
  Layer.unwrap(
    Effect.map(
      Remote.target,
      Option.match({
        onNone: () => here,
        onSome: (target) => AdminClient.layerAt(target).pipe(Layer.provide(NodeHttpClient.layerUndici))
      })
    )
  )

/** For commands that may create a log. */
export const layer = orElsewhere(here.pipe(Layer.provide(DataDirectory.layer)))

/** For commands that do not create a log. */
export const layerExisting = orElsewhere(here.pipe(Layer.provide(ExistingLog.layer)))
