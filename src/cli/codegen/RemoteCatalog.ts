/** The models and wrappers of a running server, with their schemas, over its public routes and without a key. */
import { Config, Effect, Option } from "effect"
import { ApiError } from "#clients/typescript/ApiError.ts"
import { Inferlog } from "#clients/typescript/Inferlog.ts"
import type { CallOptions } from "#clients/typescript/Scope.ts"
import type { Model, Wrapper } from "#clients/typescript/Wire.ts"
import * as Failure from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"
import type { CatalogModel } from "#src/edges/codegen/ModelTypes.ts"

const local = "http://127.0.0.1:8080"
const urlFromEnvironment = Config.String("INFERLOG_URL").pipe(Config.withDefault(local))

/** Calls at once. */
const concurrency = 8
const mostPerPage = 100

/** Does not show an invalid address, because it may contain a password. */
export const addressOf = Effect.fnUntraced(function* (given: Option.Option<string>) {
  const url = URL.parse(Option.isSome(given) ? given.value : yield* urlFromEnvironment)
  if (url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === "")
    return (url.origin + url.pathname).replace(/\/+$/, "")
  const name = Option.isSome(given) ? "--url" : "INFERLOG_URL"
  return yield* new Failure.UsageError({ message: `${name}: Expected an address such as ${local}` })
})

const isMissing = (error: unknown) => error instanceof ApiError && error.status === 404

const collected = async <A>(items: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const item of items) all.push(item)
  return all
}

/** All models and wrappers, or those with the given names. */
export const read = Effect.fnUntraced(function* (url: string, names: ReadonlyArray<string>) {
  const { catalog } = new Inferlog({ url, key: () => undefined })
  const call = <A>(make: (options: CallOptions) => Promise<A>) =>
    Effect.tryPromise({ try: (signal) => make({ signal }), catch: (error) => error })

  const all = call(async (options) => [
    ...(await collected(catalog.models({ limit: mostPerPage }, options))),
    ...(await collected(catalog.wrappers({ limit: mostPerPage }, options)))
  ])

  const named = (name: string) =>
    Effect.mapError(
      call((options) => catalog.model(name, options)),
      (error) =>
        isMissing(error)
          ? new Failure.UsageError({ message: `--model: There is no model ${name} at ${url}` })
          : error
    )

  const withSchema = ({ description, modelEndpoint, status, stream }: Model | Wrapper) =>
    Effect.map(
      call((options) => catalog.schema(modelEndpoint, options)),
      ({ input, output }): CatalogModel => ({
        modelEndpoint,
        description,
        isDeprecated: status === "deprecated",
        stream,
        input,
        output
      })
    )

  const items =
    names.length > 0 ? yield* Effect.forEach([...new Set(names)], named, { concurrency }) : yield* all
  return yield* Effect.forEach(items, withSchema, { concurrency })
}, Effect.mapError(failureOf))

function failureOf(error: unknown) {
  if (error instanceof Failure.UsageError) return error
  return new Failure.CommandError({ message: Output.printable(Failure.describe(error)) })
}
