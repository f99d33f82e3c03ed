/** The required scope of each declared route, so that new routes are tested too. */
import * as http from "node:http"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import * as Grant from "#domain/account/Grant.ts"
import { Api } from "#src/edges/server/Api.ts"
import { Authorization } from "#src/edges/http/api/Authorization.ts"
import { BearerAuthorization } from "#src/edges/mcp/routes/BearerAuthorization.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import { WorkerAuthorization } from "#src/edges/api/workers/WorkerAuthorization.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { call } from "#test/support/src/edges/http/Calls.ts"
import * as GrantedKeys from "#test/support/src/edges/http/GrantedKeys.ts"

interface Route {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly asksForKey: boolean
  /** A worker's route, which refuses keys of accounts. */
  readonly asksForWorkerKey: boolean
  /** An assistant's route. Its tools check scopes. */
  readonly asksForToken: boolean
  readonly requires: Grant.Scope | null
  /** Whether the document has it. */
  readonly isDocumented: boolean
}

const routes: Array<Route> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, mergedAnnotations, middleware }) => {
    routes.push({
      name: endpoint.identifier,
      method: endpoint.method,
      path: endpoint.path,
      asksForKey: [...middleware].some(({ key }) => key === Authorization.key),
      asksForWorkerKey: [...middleware].some(({ key }) => key === WorkerAuthorization.key),
      asksForToken: [...middleware].some(({ key }) => key === BearerAuthorization.key),
      requires: Context.get(mergedAnnotations, Requires),
      isDocumented: !Context.get(mergedAnnotations, OpenApi.Exclude)
    })
  }
})

/** The mapping by the first matching rule; `undefined` for an unmapped route. */
const rules: ReadonlyArray<readonly [RegExp, Grant.Scope]> = [
  [/^GET \/webhooks\//, "webhooks:read"],
  [/^\w+ \/webhooks\//, "webhooks:write"],
  [/^\w+ \/storage\/upload\//, "files:write"],
  [/^GET \/v1\/files(\/|$)/, "files:read"],
  [/^\w+ \/v1\/files(\/|$)/, "files:write"],
  [/^\w+ \/v1\//, "requests:write"],
  [/^GET \/files(\/|$)/, "files:read"],
  [/^DELETE \/files\//, "files:write"],
  [/^GET \/(account|usage|billing)(\/|$)/, "billing:read"],
  [/^POST \/keys\/tokens$/, "requests:read"],
  [/^GET \/v1\/files(\/|$)/, "files:read"],
  [/^\w+ \/v1\/files(\/|$)/, "files:write"],
  [/^\w+ \/v1\//, "requests:write"],
  [/^\w+ \/(keys|assistants)(\/|$)/, "keys:admin"],
  [/^\w+ .*\/cancel$/, "requests:write"],
  [/^DELETE \/requests\//, "requests:write"],
  [/^POST \/:ownerName\/:modelName$/, "requests:write"],
  [/^GET \/(:ownerName\/:modelName\/)?requests(\/|$)/, "requests:read"]
]

/** The rules of Replicate's paths that are not ours. */
const rulesOfReplicate: typeof rules = [
  [/^GET \/account$/, "requests:read"],
  [/^GET \/predictions(\/|$)/, "requests:read"],
  [/^POST \/((models|deployments)\/:owner\/:name\/)?predictions$/, "requests:write"],
  [/^POST \/files$/, "files:write"]
]

const rootOfReplicate = "/compat/replicate/v1"

/** One path has all calls of fal's client; its answers to GET depend on the target. */
const rulesOfFal: typeof rules = [
  [/^(POST|PUT) \/compat\/fal$/, "requests:write"],
  [/^GET \/compat\/fal$/, "requests:read"]
]

const ruleOf = ({ method, path }: Route) => {
  const ofReplicate = path.startsWith(rootOfReplicate)
  const call = `${method} ${path.replace(rootOfReplicate, "")}`
  return [...(ofReplicate ? rulesOfReplicate : rulesOfFal), ...rules].find(([rule]) => rule.test(call))?.[1]
}

const values: Readonly<Record<string, string>> = {
  ownerName: "sandbox",
  modelName: "echo",
  requestId: "rq0000000000000000000"
}

const urlOf = ({ path }: Route) => path.replaceAll(/:(\w+)/g, (_, name) => values[name] ?? "x")

/** The status, and the body of an error. An admitted event stream does not end by itself. */
const ask = ({ method, ...route }: Route, headers: Readonly<Record<string, string>>) =>
  Effect.flatMap(TestServer.TestServer, ({ port }) =>
    Effect.callback<readonly [number, unknown]>((resume) => {
      const options = {
        host: "127.0.0.1",
        port,
        path: urlOf({ method, ...route }),
        method,
        headers,
        agent: false
      }
      const request = http.request(options, (response) => {
        const { statusCode = 0 } = response
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        const end = () => {
          const text = Buffer.concat(chunks).toString()
          const isJson = response.headers["content-type"]?.startsWith("application/json") === true
          resume(Effect.succeed([statusCode, statusCode < 400 || !isJson ? null : JSON.parse(text)]))
        }
        if (statusCode >= 400) return response.on("end", end)
        end()
        request.destroy()
      })
      request.on("error", (error) => resume(Effect.die(error)))
      request.end()
    })
  )

const keyOf = (scopes: ReadonlyArray<Grant.Scope>) => GrantedKeys.issue({ scopes })

const missing = (scope: string, body: unknown) => ({
  error: `This key is not granted ${scope}.`,
  request_id: Reflect.get(Object(body), "request_id"),
  details: { code: "MISSING_SCOPE", scope }
})

describe("routes", () => {
  it.each(routes)("$method $path declares its scope if it requires a key", (route) => {
    assert.strictEqual(route.requires, route.asksForKey ? (ruleOf(route) ?? "no rule") : null)
  })

  it("use every scope", () => {
    const used = new Set(routes.flatMap(({ requires }) => (requires === null ? [] : [requires])))
    assert.sameMembers([...used], [...Grant.Scope.literals])
  })
})

layer(TestServer.layer(), { excludeTestServices: true })("scopes", (it) => {
  it.effect("admit a key with the scope of the route, and no other", () =>
    Effect.gen(function* () {
      for (const scope of Grant.Scope.literals) {
        const only = yield* keyOf([scope])
        const others = yield* keyOf(Grant.Scope.literals.filter((other) => other !== scope))
        for (const route of routes.filter(({ requires }) => requires === scope)) {
          const [refusedWith, errorAnswer] = yield* ask(route, others)
          assert.strictEqual(refusedWith, 403, `${route.method} ${route.path}`)
          // Routes for clients of others have errors in their form.
          if (/^\/(compat|v1)\//.test(route.path))
            assert.include(JSON.stringify(errorAnswer), `This key is not granted ${scope}.`)
          else assert.deepStrictEqual(errorAnswer, missing(scope, errorAnswer))
          const [status, body] = yield* ask(route, only)
          const details = Object(Reflect.get(Object(body), "details"))
          assert.notInclude([401, 500], status, `${route.method} ${route.path}`)
          assert.notStrictEqual(details.code, "MISSING_SCOPE", `${route.method} ${route.path}`)
          assert.strictEqual((yield* ask(route, {}))[0], 401, `${route.method} ${route.path}`)
        }
      }
    })
  )

  it.effect("do not matter on routes without a key", () =>
    Effect.gen(function* () {
      const none = yield* keyOf([])
      // The URL of a callback is its credential; a wrong one is refused.
      const open = routes.filter(
        (one) =>
          !one.asksForKey && !one.asksForWorkerKey && !one.asksForToken && !one.path.startsWith("/callbacks/")
      )
      for (const route of open) {
        for (const headers of [{}, none]) {
          const [status, body] = yield* ask(route, headers)
          assert.notInclude([401, 500], status, route.path)
          assert.notStrictEqual(
            Object(Reflect.get(Object(body), "details")).code,
            "MISSING_SCOPE",
            route.path
          )
        }
      }
    })
  )

  it.effect("do not open worker routes to any key of an account", () =>
    Effect.gen(function* () {
      const every = yield* keyOf(Grant.Scope.literals)
      const workers = routes.filter(({ asksForWorkerKey }) => asksForWorkerKey)
      assert.deepStrictEqual(
        workers.map(({ path }) => path.startsWith("/workers/")),
        workers.map(() => true)
      )
      for (const route of workers) {
        for (const headers of [{}, every])
          assert.strictEqual((yield* ask(route, headers))[0], 401, route.path)
      }
      assert.deepStrictEqual(
        routes.filter(({ path }) => path.startsWith("/workers/")),
        workers
      )
    })
  )

  it.effect("do not replace an access token", () =>
    Effect.gen(function* () {
      const every = yield* keyOf(Grant.Scope.literals)
      const ofTools = routes.filter(({ asksForToken }) => asksForToken)
      assert.isNotEmpty(ofTools)
      for (const route of ofTools) {
        for (const headers of [{}, every])
          assert.strictEqual((yield* ask(route, headers))[0], 401, route.path)
      }
    })
  )

  it.effect("are documented, for programs and for people", () =>
    Effect.gen(function* () {
      const { json } = yield* call({ path: "/openapi.json" })
      const paths = Object(Reflect.get(Object(json), "paths"))
      // OpenAPI 3.1 has no QUERY.
      const documented = routes.filter(({ isDocumented, method }) => isDocumented && method !== "QUERY")
      for (const { asksForToken, asksForWorkerKey, method, path, requires } of documented) {
        const { description, security } = paths[path.replaceAll(/:(\w+)/g, "{$1}")][method.toLowerCase()]
        const ofOthers = asksForToken ? [{ accessToken: [] }] : []
        const without = asksForWorkerKey ? [{ workerKey: [] }] : ofOthers
        assert.deepStrictEqual(
          security,
          requires === null ? without : [{ apiKey: [requires] }, { bearer: [requires] }],
          path
        )
        if (requires !== null) assert.include(description, `The key needs \`${requires}\`.`)
      }
    })
  )
})
