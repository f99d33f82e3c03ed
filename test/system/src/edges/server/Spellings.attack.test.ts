/** Each route answers only at its exact path, so that a proxy's path rules match the server's. */
import { once } from "node:events"
import * as net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as Attacked from "#test/support/attacks/Attacked.ts"

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])

/** Sends raw bytes and returns everything received until the connection ends. */
const exchange = async (url: string, request: string): Promise<string> => {
  const socket = net.connect(Number(new URL(url).port), "127.0.0.1")
  const chunks: Array<Buffer> = []
  socket.on("data", (chunk) => chunks.push(chunk))
  socket.write(request)
  // An event stream would not end.
  socket.setTimeout(5_000, () => socket.destroy())
  await once(socket, "close")
  return String(Buffer.concat(chunks))
}

const head = (method: string, path: string, more: ReadonlyArray<string> = ["Host: 127.0.0.1"]) =>
  [
    `${method} ${path} HTTP/1.1`,
    ...more,
    `Authorization: Key ${ServerProcess.apiKey}`,
    "Content-Length: 0",
    "Connection: close",
    "\r\n"
  ].join("\r\n")

const idOfRequest = "rqP6vxXLX--02v8PkIohe"

/** Fills each parameter of a path. */
const filled = (path: string, keyId: string) =>
  path
    .replace("{ownerName}/{modelName}", "sandbox/echo")
    .replace("{owner}/{name}", "sandbox/echo")
    .replace("{requestId}", idOfRequest)
    .replace("{keyId}", keyId)
    .replace(/\/keys\/\{id\}/, `/keys/${keyId}`)
    .replaceAll(/\{[^}]+\}/g, "a1")

const encodedFirst = (path: string) =>
  path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)

const spellings = (path: string): ReadonlyArray<string> =>
  [
    `${path};x`,
    `${path};`,
    `${path}%3bx`,
    `${path}#x`,
    `${path}/`,
    `${path}/.`,
    `/${path}`,
    `/.${path}`,
    path.replace(/^\/([^/]+)/, "/$1;x"),
    path.replace(/(.)\//, "$1//"),
    path.replace(/(.)\//, "$1/./"),
    encodedFirst(path)
  ].filter((spelling) => spelling !== path && spelling !== "//")

const outside = ["/docs", "/openapi.json", "/metrics", "/health", "/mcp"]

describe("C1: another spelling of a path", () => {
  it.live("matches no route, gets 404, 400 or 405, and has no effect", () =>
    Effect.gen(function* () {
      const { url } = yield* Attacked.server()
      yield* Effect.promise(async () => {
        const made = await Attacked.json(`${url}/keys`, { method: "POST", body: '{"name":"victim"}' })
        const keyId = String(made["id"])
        const { paths } = await Attacked.json(`${url}/openapi.json`)
        const declared = Object.entries(Object(paths)).flatMap(([path, item]) =>
          Object.keys(Object(item))
            .filter((method) => ["get", "post", "put", "patch", "delete"].includes(method))
            .map((method) => ({ method: method.toUpperCase(), path: filled(path, keyId) }))
        )
        assert.isAbove(declared.length, 60)
        const all = [...declared, ...outside.map((path) => ({ method: "GET", path }))]
        const wrong: Array<string> = []
        for (const { method, path } of all) {
          await Promise.all(
            spellings(path).map(async (spelling) => {
              const status = statusOf(await exchange(url, head(method, spelling)))
              // In a parameter, this is another value, which does not exist.
              const isRefused = spelling.includes("%3b") ? status >= 400 : [400, 404, 405].includes(status)
              if (!isRefused) wrong.push(`${method} ${spelling}: ${status}`)
            })
          )
        }
        assert.deepStrictEqual(wrong, [])
        const { data } = await Attacked.json(`${url}/keys`)
        const victim = (data as ReadonlyArray<Record<string, unknown>>).find(({ id }) => id === keyId)
        assert.strictEqual(victim?.["revokedAt"], null)
      })
    }).pipe(Effect.scoped)
  )
})

describe("B8: Host headers", () => {
  for (const [name, hosts] of [
    ["none", []],
    ["two different", ["Host: 127.0.0.1", "Host: other"]],
    ["two equal", ["Host: 127.0.0.1", "hOST: 127.0.0.1"]]
  ] as const) {
    it.live(`get 400 if there are ${name}, and the connection is closed`, () =>
      Effect.gen(function* () {
        const { url } = yield* Attacked.server()
        yield* Effect.promise(async () => {
          for (const path of ["/health", `/sandbox/echo/requests/${idOfRequest}/status`]) {
            const first = head("GET", path, hosts).replace("Connection: close\r\n", "")
            const answer = await exchange(url, first + head("GET", "/health"))
            assert.strictEqual(statusOf(answer), 400)
            assert.strictEqual(answer.split("HTTP/1.1 ").length, 2, "one answer")
            assert.include(answer, '"request_id"')
          }
        })
      }).pipe(Effect.scoped)
    )
  }
})
