/** A model that ships with the server: its catalog record and what a run of it bills (decisions, "Built-in models"). */
import { Schema } from "effect"
import * as crypto from "node:crypto"
import { stringify } from "#domain/CanonicalJson.ts"
import type { Json } from "#domain/CanonicalJson.ts"
import { Model } from "#domain/Model.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import type { Quantity } from "#domain/Money.ts"

/** Billable units of one run. */
export interface Quantities {
  /** Asked for; `null` when only the run can tell. */
  readonly quantity: Quantity | null
  /** At most: this much is held. */
  readonly maxQuantity: Quantity
}

export interface BuiltinModel {
  readonly model: Model
  /** Total over the inputs that are valid under the model's input schema. */
  quantities(input: Json): Quantities
}

/** What an author writes down: a model without the fields that follow from the rest. */
export interface Definition<Input> extends Omit<Model, "endpoint" | "version" | "provider"> {
  /** `{ownerName}/{modelName}` */
  readonly endpoint: string
  /** Reads what `quantities` needs from an input that is valid under `inputSchema`. */
  readonly input: Schema.ConstraintDecoder<Input>
  quantities(input: Input): Quantities
}

/** The provider that runs every built-in model. */
export const providerName = "builtin"

/** Units known before the run. */
export const exactly = (quantity: Quantity): Quantities => ({ quantity, maxQuantity: quantity })

/** Units that only the run can tell, and their bound. */
export const atMost = (maxQuantity: Quantity): Quantities => ({ quantity: null, maxQuantity })

/** Throws on an endpoint that no model may have. */
export const defineModel = <Input>(definition: Definition<Input>): BuiltinModel => {
  const { endpoint, input, quantities, ...rest } = definition
  const unversioned = { ...rest, endpoint: ModelEndpoint.make(endpoint), provider: providerName, version: "" }
  const decode = Schema.decodeUnknownSync(input)
  return {
    model: { ...unversioned, version: versionOf(unversioned) },
    quantities: (input) => quantities(decode(input))
  }
}

const encode = Schema.encodeSync(Model)

/** 132 bits of the hash of everything else in the record, so that no change goes unnoticed. */
const versionOf = (model: Model): string =>
  crypto.hash("sha256", stringify(encode(model)), "base64url").slice(0, 22)
