/** The declared routes that ask for a key, so that new routes are tested too. */
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { Requires, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import { Api } from "#src/edges/server/Api.ts"

interface KeyedRoute {
  readonly method: string
  readonly path: string
  /** Which tokens open it. */
  readonly takes: string
}

const routes: Array<KeyedRoute> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { method, path }, mergedAnnotations }) => {
    if (Context.get(mergedAnnotations, Requires) === null) return
    routes.push({ method, path, takes: Context.get(mergedAnnotations, TakesTokens) })
  }
})

export const keyedRoutes: ReadonlyArray<KeyedRoute> = routes

const values: Readonly<Record<string, string>> = { ownerName: "sandbox", modelName: "echo" }

/** @param id of a request of `sandbox/echo`. */
export const urlOf = (path: string, id: string) =>
  path.replaceAll(/:(\w+)/g, (_, name) => (name === "requestId" ? id : (values[name] ?? "x")))
