/** The models of the model test, with their prices and the possible ends of their runs. */
import { Effect, Layer, Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as Money from "#domain/Money.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { atMost, exactly } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { testModel } from "#test/support/TestModels.ts"

export const offers = ["request", "image", "measured", "narrow"] as const
export type Offer = (typeof offers)[number]

/** nano-USD for a unit: a request, or an image. */
const unitPrices: Record<Offer, bigint> = {
  request: 1_000_000n,
  image: 2_000_000n,
  measured: 3_000_000n,
  narrow: 1_000_000n
}

const inputSchema = {
  type: "object",
  properties: { text: { type: "string" }, count: { type: "integer", minimum: 1, maximum: 4 } },
  required: ["text", "count"],
  additionalProperties: false
}

const outputSchema = {
  type: "object",
  properties: { text: { type: "string" }, file: { type: "string", format: "uri" } },
  required: ["text"],
  additionalProperties: false
}

const Counted = Schema.Struct({ count: Schema.Int })

const isCounted = (offer: Offer) => offer === "image" || offer === "measured"

const define = (offer: Offer, changes: { readonly concurrency: number; readonly timeoutSeconds: number }) =>
  testModel(`model/${offer}`, {
    ...changes,
    inputSchema,
    outputSchema,
    exampleInput: { text: "in", count: 1 },
    price: {
      unit: isCounted(offer) ? "image" : "request",
      unitPrice: Money.NanoUsd.make(unitPrices[offer]),
      minimumCharge: Money.zero
    },
    input: Schema.Unknown,
    quantities: (input) => {
      const units = isCounted(offer) ? Schema.decodeUnknownSync(Counted)(input).count : 1
      return offer === "measured" ? atMost(Money.units(units)) : exactly(Money.units(units))
    }
  })

const roomy = { concurrency: 1_000, timeoutSeconds: 7_200 }

export const models = {
  request: define("request", roomy),
  image: define("image", roomy),
  measured: define("measured", roomy),
  /** One run at a time, and each for a minute at most. */
  narrow: define("narrow", { concurrency: 1, timeoutSeconds: 60 })
}

/** Made once, because compiling its schemas takes longest at the start of a node. */
export const catalog = Layer.succeed(
  Catalog,
  Effect.runSync(Effect.provide(Catalog, BuiltinCatalog.layerOf(Object.values(models))))
)

const offerOf = (endpoint: string): Offer => {
  const found = offers.find((offer) => models[offer].model.endpoint === endpoint)
  if (found === undefined) throw new Error(`unknown model ${endpoint}`)
  return found
}

/** The input of a model; `count` images. */
export interface Order {
  readonly offer: Offer
  readonly text: string
  readonly count: number
}

export const inputOf = ({ count, text }: Order) => ({ text, count })

const Ordered = Schema.Struct({ text: Schema.String, count: Schema.Int })

/** The behaviour of a run of the model. */
export const orderOf = (endpoint: string, input: unknown): Order => ({
  offer: offerOf(endpoint),
  ...Schema.decodeUnknownSync(Ordered)(input)
})

/** The requested or the most units. */
export const unitsOf = ({ count, offer }: Order): number => (isCounted(offer) ? count : 1)

/** nano-USD */
export const holdOf = (order: Order): bigint => unitPrices[order.offer] * BigInt(unitsOf(order))

/** nano-USD for `delivered` units; an amount that rounds to zero costs the smallest unit. */
export const costOf = ({ offer }: Order, delivered: number): bigint =>
  delivered === 0 ? 1n : unitPrices[offer] * BigInt(delivered)

export const ends = [
  "valid",
  "short",
  "empty",
  "invalid",
  "file",
  "bad file",
  "missing file",
  "unstored file",
  "model failed",
  "refused",
  "transport error",
  "rate limited",
  "lost",
  "stopped",
  "defect"
] as const
/** The end of a run. `short` and `empty`: fewer units than requested, and none. */
export type End = (typeof ends)[number]

/** Units of the output, `null` when there is none. */
export const deliveredBy = (end: End, order: Order): number | null => {
  switch (end) {
    case "valid":
    case "invalid":
    case "file":
    case "bad file":
    case "missing file":
    case "unstored file":
      return unitsOf(order)
    case "short":
      return unitsOf(order) - 1
    case "empty":
      return 0
    case "model failed":
    case "refused":
    case "transport error":
    case "rate limited":
    case "lost":
    case "stopped":
    case "defect":
      return null
  }
}

/** A file for which the store has no room. */
export const unstored = "more than fits"

const files: Partial<Record<End, string>> = {
  file: "data:text/plain,hello",
  "bad file": "data:text/plain;base64,*",
  // Nothing listens there, so it might be available later.
  "missing file": "https://files.example.com:1/file.txt",
  "unstored file": `data:text/plain,${encodeURIComponent(unstored)}`
}

const succeeded = (end: End, order: Order): ProviderOutcome => {
  const file = files[end]
  const output: Json =
    end === "invalid" ? { wrong: true } : { text: order.text, ...(file === undefined ? {} : { file }) }
  return { _tag: "Succeeded", output, delivered: Money.units(deliveredBy(end, order) ?? 0) }
}

/** `null` for a provider that crashes. */
export const outcomeOf = (end: End, order: Order): ProviderOutcome | null => {
  switch (end) {
    case "valid":
    case "short":
    case "empty":
    case "invalid":
    case "file":
    case "bad file":
    case "missing file":
    case "unstored file":
      return succeeded(end, order)
    case "model failed":
      return { _tag: "ModelFailed", message: "The model failed." }
    case "refused":
      return { _tag: "ProviderError", message: "Refused.", retryable: false }
    case "transport error":
      return { _tag: "ProviderError", message: "Reset.", retryable: true }
    case "rate limited":
      return { _tag: "RateLimited", retryAfterMs: 30_000 }
    case "lost":
      return { _tag: "Lost", message: "Lost." }
    case "stopped":
      return { _tag: "Stopped" }
    case "defect":
      return null
  }
}
