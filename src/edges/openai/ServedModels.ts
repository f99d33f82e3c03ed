/** Which models answer which calls: the manifest's `serves`. */
import { Effect } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Model, OpenaiCall } from "#domain/catalog/Model.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import type { ErrorAnswer } from "#src/edges/http/ErrorAnswer.ts"
import * as OpenaiErrors from "./OpenaiErrors.ts"

const unnamed = OpenaiErrors.invalid("model must be the name of a model, owner/name.", "model")

const notServed = (calls: ReadonlyArray<OpenaiCall>) =>
  OpenaiErrors.invalid(
    `The model does not answer this call: it does not serve ${calls.join(" or ")}.`,
    "model"
  )

export interface Served {
  readonly model: Model
  /** The first of the calls that the model serves. */
  readonly as: OpenaiCall
}

export const make = Effect.map(Catalog, (catalog) =>
  /** The model that `name` means, if it serves one of `calls`. */
  (caller: Caller, name: Json | undefined, ...calls: ReadonlyArray<OpenaiCall>) => {
    if (typeof name !== "string" || name === "") return Effect.fail(unnamed)
    if (!Grant.allowsModel(caller.grant, name)) return Effect.fail(OpenaiErrors.modelNotFound)
    return Effect.flatMapEager(catalog.find(name), (entry): Effect.Effect<Served, ErrorAnswer> => {
      if (entry === null) return Effect.fail(OpenaiErrors.modelNotFound)
      const { model } = entry
      const as = calls.find((call) => model.serves?.includes(call) === true)
      return as === undefined ? Effect.fail(notServed(calls)) : Effect.succeed({ model, as })
    })
  }
)
