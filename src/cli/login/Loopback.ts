/** Waits on the loopback address for a browser that brings a code (RFC 8252, 7.3). */
import * as http from "node:http"
import { Effect } from "effect"
import { CommandError } from "#src/cli/Failure.ts"

const page = (text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>inferlog</title><p>${text}</p></html>\n`

const headers = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer"
}

/** Characters. */
const longestCode = 8_192

/** The port, and the code that comes first. Closed with the scope. */
export const listen = Effect.gen(function* () {
  const waiting = Promise.withResolvers<string>()
  const server = http.createServer({ maxHeaderSize: 16 * 1_024 }, (request, response) => {
    // Any program or page of this machine may send what is no address.
    const code = URL.parse(request.url ?? "", "http://127.0.0.1")?.searchParams.get("code") ?? ""
    const isCode = request.method === "GET" && code !== "" && code.length <= longestCode
    response.writeHead(isCode ? 200 : 404, { ...headers, connection: "close" })
    const text = isCode ? "Go back to the command line. You may close this page." : "Nothing is here."
    // The browser has the page before connections are closed.
    response.end(page(text), () => (isCode ? waiting.resolve(code) : undefined))
  })
  const port = yield* Effect.acquireRelease(
    Effect.callback<number, CommandError>((resume) => {
      server.once("error", () =>
        resume(Effect.fail(new CommandError({ message: "No port of 127.0.0.1 can be listened on" })))
      )
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    // Browsers open connections that they may not use.
    () =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            server.close(() => resolve())
            server.closeAllConnections()
          })
      )
  )
  return { port, code: Effect.promise(() => waiting.promise) }
})
