/** The complete server as a separate process, over either store. */
import { describe, layer, type Vitest } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"
import * as S3Programs from "#test/support/servers/S3Programs.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as StorePlace from "./StorePlace.ts"

export interface Running {
  readonly place: StorePlace.StorePlace
  readonly process: ServerProcess.ServerProcess
  readonly url: string
}

export class UploadServer extends Context.Service<UploadServer, Running>()("inferlog/test/UploadServer") {}

/** Killed with the scope unless it has ended. */
export const start = (place: StorePlace.StorePlace): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => ServerProcess.start(place)),
      ({ kill }) => Effect.promise(() => kill("SIGKILL"))
    ),
    (process) => ({ place, process, url: process.url })
  )

const stores = ["disk", "S3"] as const

/** The same tests for both stores. */
export const overBothStores = (name: string, tests: (store: StorePlace.Store) => void): void => {
  for (const store of stores) {
    const isSkipped = store === "S3" && S3Programs.isMissing
    const title = `${name}, over ${store}`
    describe.skipIf(isSkipped)(store === "S3" ? S3Programs.named(title) : title, () => tests(store))
  }
}

/** Tests that share one running server. */
export const running = (
  store: StorePlace.Store,
  tests: (it: Vitest.MethodsNonLive<UploadServer>) => void,
  settings?: Readonly<Record<string, string>>
): void =>
  layer(Layer.effect(UploadServer, Effect.flatMap(StorePlace.make(store, settings), start)), {
    excludeTestServices: true
  })(tests)
