/** The models and wrappers of a running server, with their schemas, over its public routes and without a key. */
import { Config, Effect, Option } from "effect"
import { type Exchange, Http, modelPath } from "#clients/typescript/Http.ts"
import type { Model, ModelSchema, Models, Wrapper, Wrappers } from "#clients/typescript/Wire.ts"
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

const isMissing = (error: unknown) => error instanceof Error && "status" in error && error.status === 404

/** All models and wrappers, or those with the given names. */
export const read = Effect.fnUntraced(function* (url: string, names: ReadonlyArray<string>) {
  const http = new Http({ url, key: () => undefined })
  const get = <A>(exchange: Exchange) =>
    Effect.tryPromise({
      try: (signal) => http.call({ signal }, (scope) => http.json<A>(exchange, scope)),
      catch: (error) => error
    })

  const listed = <Page extends Models | Wrappers>(path: string) =>
    Effect.gen(function* () {
      const items: Array<Page["data"][number]> = []
      let cursor: string | null = null
      do {
        const page: Page = yield* get<Page>({ path, query: { limit: mostPerPage, cursor } })
        items.push(...page.data)
        cursor = page.next
      } while (cursor !== null)
      return items
    })

  const named = (name: string) =>
    Effect.mapError(get<Model | Wrapper>({ path: `/models${modelPath(name)}` }), (error) =>
      isMissing(error)
        ? new Failure.UsageError({
            message: `--model: There is no model ${Output.printable(name)} at ${url}`
          })
        : error
    )

  const withSchema = (item: Model | Wrapper) => {
    const { description, modelEndpoint, status, stream } = item
    return Effect.map(
      get<ModelSchema>({ path: `/${item.kind}s${modelPath(modelEndpoint)}/schema` }),
      ({ input, output }): CatalogModel => ({
        modelEndpoint,
        description,
        isDeprecated: status === "deprecated",
        stream,
        input,
        output
      })
    )
  }

  const items =
    names.length > 0
      ? yield* Effect.forEach([...new Set(names)], named, { concurrency })
      : [...(yield* listed<Models>("/models")), ...(yield* listed<Wrappers>("/wrappers"))]
  return yield* Effect.forEach(items, withSchema, { concurrency })
}, Effect.mapError(failureOf))

function failureOf(error: unknown) {
  if (error instanceof Failure.UsageError || error instanceof Config.ConfigError) return error
  return new Failure.CommandError({ message: Output.printable(Failure.describe(error)) })
}
