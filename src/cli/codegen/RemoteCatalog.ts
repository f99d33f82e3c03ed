/** The models and wrappers of a running server, with their schemas. */
import { Effect } from "effect"
import type { Inferlog } from "#clients/typescript/Inferlog.ts"
import { NotFoundError } from "#clients/typescript/Errors.ts"
import type { Model, Wrapper } from "#clients/typescript/Wire.ts"
import { UsageError } from "#src/cli/Failure.ts"
import { CallError } from "#src/cli/platform/CallError.ts"
import { call, Platform } from "#src/cli/platform/Platform.ts"
import type { CatalogModel } from "#src/edges/codegen/ModelTypes.ts"

/** Calls at once. */
const concurrency = 8
const mostPerPage = 100

const everything = async ({ catalog }: Inferlog, signal: AbortSignal) => {
  const page = { limit: mostPerPage }
  const found: Array<Model | Wrapper> = []
  for await (const model of catalog.models(page, { signal })) found.push(model)
  for await (const wrapper of catalog.wrappers(page, { signal })) found.push(wrapper)
  return found
}

const named = Effect.fnUntraced(function* (name: string) {
  const { url } = yield* Platform
  return yield* Effect.catchIf(
    call(({ catalog }, signal) => catalog.model(name, { signal })),
    (error) => error instanceof CallError && error.cause instanceof NotFoundError,
    () => new UsageError({ message: `--model: There is no model ${name} at ${url}` })
  )
})

const withSchema = ({ description, modelEndpoint, status, stream }: Model | Wrapper) =>
  Effect.map(
    call(({ catalog }, signal) => catalog.schema(modelEndpoint, { signal })),
    ({ input, output }): CatalogModel => ({
      modelEndpoint,
      description,
      isDeprecated: status === "deprecated",
      stream,
      input,
      output
    })
  )

/** All models and wrappers, or those with the given names. */
export const read = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const items =
    names.length > 0
      ? yield* Effect.forEach([...new Set(names)], named, { concurrency })
      : yield* call(everything)
  return yield* Effect.forEach(items, withSchema, { concurrency })
})
