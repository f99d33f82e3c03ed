/** A program on the user's computer that requests access, with a redirect address by RFC 8252 (7.3). */
import * as http from "node:http"
import { Effect } from "effect"
import { TestServer } from "#test/support/TestServer.ts"
import * as OAuth from "./OAuthCalls.ts"

interface BrowserClient {
  /** The redirect address. From there the client redirects to `home`, on another origin. */
  readonly redirectUri: string
  readonly home: string
  /** The queries with which it was redirected. */
  readonly answers: ReadonlyArray<URLSearchParams>
}

/** Returns its port. Stopped with the scope. */
export const serving = (listener: http.RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<http.Server>((resume) => {
      const server = http.createServer(listener)
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      return typeof address === "object" && address !== null ? address.port : 0
    })
  )

/** Stopped with the scope. */
export const listening = Effect.gen(function* () {
  const answers: Array<URLSearchParams> = []
  const port = yield* serving(({ headers, url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://127.0.0.1")
    if (pathname !== "/callback") return response.end("At home again")
    answers.push(searchParams)
    const home = `http://localhost:${headers.host?.split(":")[1] ?? ""}/home`
    return response.writeHead(302, { location: home }).end()
  })
  return {
    answers,
    home: `http://localhost:${port}/home`,
    redirectUri: `http://127.0.0.1:${port}/callback`
  } satisfies BrowserClient
})

/** The address that a newly registered client opens in the browser. */
export const authorizationUrl = Effect.fnUntraced(function* (redirectUri: string) {
  const { urls } = yield* TestServer
  const { client_id } = yield* OAuth.registered({ redirect_uris: [redirectUri], client_name: "Acme" })
  const { path } = OAuth.authorization(client_id, { redirect_uri: redirectUri })
  return `${urls.mcpUrl}${path}`
})
