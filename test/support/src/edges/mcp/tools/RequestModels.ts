/** Models for tests of the request tools, and a log that can be delayed. */
import { Effect, Layer } from "effect"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { type EventStore, withAppend } from "#streams/EventStore.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as TestServer from "#test/support/TestServer.ts"

const limited = (endpoint: string, provider: ProviderBinding) => {
  const made = testModel(endpoint, { maxQueued: 3 })
  return { ...made, model: { ...made.model, providers: [provider] as const } }
}

export const upstream: ProviderBinding = { name: "upstream", adapter: "http" }

const full = limited("test/full", { name: "other", adapter: "http" })
const refusing = limited("test/refusing", upstream)

/** It takes pictures only by URL. */
const photo = testModel("test/photo", {
  inputSchema: {
    type: "object",
    properties: {
      image: { type: "string", pattern: "^https://" },
      sizes: { type: "array", items: { type: "integer" } }
    },
    required: ["image"],
    additionalProperties: false
  },
  exampleInput: { image: "https://example.com/a.png" }
})

const isFull = (endpoint: string) => endpoint === full.model.endpoint || endpoint === refusing.model.endpoint

/** Runs before an event of the type is appended. */
export const gate: { type: string; before: Effect.Effect<void, EventStoreError> } = {
  type: "",
  before: Effect.void
}

const gated = (store: EventStore["Service"]): EventStore["Service"] =>
  withAppend(store, (append) =>
    Effect.andThen(
      Effect.suspend(() =>
        append.events.some(({ type }) => type === gate.type) ? gate.before : Effect.void
      ),
      store.append(append)
    )
  )

export const server = TestServer.layer({
  catalog: BuiltinCatalog.layerOf([...BuiltinCatalog.builtinModels, full, refusing, photo]),
  queued: (endpoint) => (isFull(endpoint) ? 3 : 0),
  log: gated,
  // The tools are called as they are.
  serving: Layer.empty
})
