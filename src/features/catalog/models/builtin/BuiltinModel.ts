/** A model that ships with the server: its catalog record and its billing (decisions, "Built-in models"). */
import { Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Model } from "#domain/catalog/Model.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { Quantity } from "#domain/Money.ts"
import type { Quantities } from "../Catalog.ts"
import * as Version from "../Version.ts"

export interface BuiltinModel {
  readonly model: Model
  /** Total over inputs that are valid under the model's schema, also without their long texts, lists and objects. */
  quantities(input: Json): Quantities
}

/** A model without its derived fields. */
export interface Definition<Input> extends Omit<Model, "endpoint" | "version" | "providers"> {
  readonly endpoint: string
  /**
   * Reads what `quantities` needs from a valid input, of which only numbers and short texts may be there: a large body
   * is priced without the rest.
   */
  readonly input: Schema.ConstraintDecoder<Input>
  quantities(input: Input): Quantities
}

/** The provider of every built-in model. */
const builtin: ProviderBinding = { name: "builtin", adapter: "builtin" }

/** Units known before the run. */
export const exactly = (quantity: Quantity): Quantities => ({ quantity, maxQuantity: quantity })

/** Units that only the run can tell, with their limit. */
export const atMost = (maxQuantity: Quantity): Quantities => ({ quantity: null, maxQuantity })

/** Throws for an invalid endpoint. */
export const defineModel = <Input>(definition: Definition<Input>): BuiltinModel => {
  const { endpoint, input, quantities, ...rest } = definition
  const unversioned = {
    ...rest,
    endpoint: ModelEndpoint.make(endpoint),
    providers: [builtin],
    version: ""
  } as const
  const decode = Schema.decodeUnknownSync(input)
  return {
    model: { ...unversioned, version: Version.ofModel(unversioned) },
    quantities: (input) => quantities(decode(input))
  }
}
