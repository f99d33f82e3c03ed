/** Compiles a model or wrapper from a manifest for submit and settlement. */
import { Effect, Result, Schema } from "effect"
import { isObject, type Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { Wrapper } from "#domain/catalog/Wrapper.ts"
import type { CatalogEntry, InputIssue } from "./Catalog.ts"
import * as Expression from "./Expression.ts"
import * as JsonSchemaValidator from "./JsonSchemaValidator.ts"
import * as MediaPointers from "./MediaPointers.ts"
import * as Units from "./Units.ts"
import * as WrapperTemplate from "./WrapperTemplate.ts"

/** A definition that cannot be offered. */
export class InvalidDefinition extends Schema.TaggedError<InvalidDefinition>()("InvalidDefinition", {
  /** The fault, after the path of the field: `inputSchema: …`. */
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

const invalid = (field: string) => (error: { readonly message: string }) =>
  new InvalidDefinition({ reason: `${field}: ${error.message}` })

const validatorOf = (field: "inputSchema" | "outputSchema", schema: Model["inputSchema"]) =>
  Result.mapError(JsonSchemaValidator.make(schema), invalid(field))

/** The expressions of all bindings; the values of `mapping` are computed in a run. */
const checkBindings = ({ providers }: Model): Result.Result<void, InvalidDefinition> => {
  const fields = ["input", "output"] as const
  for (const [index, binding] of providers.entries()) {
    for (const field of fields) {
      const text = binding[field]
      if (text === undefined) continue
      const checked = Expression.compile(text)
      if (Result.isFailure(checked)) {
        return Result.fail(invalid(`providers[${index}].${field}`)(checked.failure))
      }
    }
  }
  return Result.void
}

/** Compiles everything. */
export const make = ({ model }: { readonly model: Model }): Result.Result<CatalogEntry, InvalidDefinition> =>
  Result.gen(function* () {
    const input = yield* validatorOf("inputSchema", model.inputSchema)
    const output = yield* validatorOf("outputSchema", model.outputSchema)
    yield* checkBindings(model)
    const media = MediaPointers.make(model.outputSchema)
    const units = yield* Result.mapError(
      Units.make(model, media.isDeclared ? (value) => media.of(value).length : null),
      (reason) => new InvalidDefinition({ reason: `pricing.${reason}` })
    )
    return {
      model,
      runs: model.endpoint,
      validateInput: input.issues,
      validateOutput: (value) => {
        const violations = output.violations(value)
        return violations.length === 0 ? media.violations(value) : violations
      },
      mediaPointers: media.of,
      runInput: (value) => value,
      ...units
    }
  })

const tooLong: InputIssue = {
  path: [],
  code: "maxLength",
  message: `must not make a text longer than ${WrapperTemplate.longestRendered} characters`
}

/** The base model under the wrapper's endpoint and texts. Its version names both. */
export const wrapperModel = (wrapper: Wrapper, base: Model): Model => {
  const { recommended: _base, ...inherited } = base
  const { category, description, displayName, endpoint, exampleInput, inputSchema, recommended, tags } =
    wrapper
  return {
    ...inherited,
    category,
    description,
    displayName,
    endpoint,
    exampleInput,
    inputSchema,
    tags,
    ...(recommended === undefined ? {} : { recommended }),
    version: `${wrapper.version}.${base.version}`
  }
}

/** Template and defaults over `base`: the current base, or the base at the time of a request. */
export const makeWrapper = ({
  base,
  wrapper
}: {
  readonly wrapper: Wrapper
  readonly base: CatalogEntry
}): Result.Result<CatalogEntry, InvalidDefinition> =>
  Result.map(validatorOf("inputSchema", wrapper.inputSchema), (own) => {
    const integers = [wrapper.template, wrapper.defaults].flatMap(JsonText.longIntegers)
    const render = (input: Json): Json | null => {
      const made = WrapperTemplate.render(wrapper.template, isObject(input) ? input : {}, wrapper.defaults)
      return made === null ? null : JsonText.restore(made, integers)
    }

    /** Longer ones were refused with their input. */
    const rendered = (input: Json): Json => render(input) ?? {}

    const baseIssues = (input: Json): ReadonlyArray<InputIssue> => {
      const made = render(input)
      if (made === null) return [tooLong]
      return base.validateInput(made).map(({ code, message, path }) => ({
        path: [],
        code,
        message: `must make an input that ${base.model.endpoint} takes: ${["", ...path].join("/")} ${message}`
      }))
    }

    return {
      ...base,
      model: wrapperModel(wrapper, base.model),
      validateInput: (input) => {
        const issues = own.issues(input)
        return issues.length > 0 ? issues : baseIssues(input)
      },
      runInput: (input) => base.runInput(rendered(input)),
      quantities: (input) => base.quantities(rendered(input)),
      delivered: (result) =>
        Effect.suspend(() => base.delivered({ ...result, input: rendered(result.input) }))
    }
  })
