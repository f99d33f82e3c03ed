/** For clients without a sign-in: a server on loopback that adds a bearer token and forwards everything else. */
import * as http from "node:http"
import { once } from "node:events"
import { Effect } from "effect"

export interface Options {
  /** The port of the server behind it, on the loopback. */
  readonly port: number
  readonly accessToken: string
}

const portOf = (server: http.Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Replaces its own name by that of the server behind it. A foreign name is sent by the client and stays. */
const renamed = (text: string | undefined, own: string, behind: string): string | undefined =>
  text === own ? behind : text === `http://${own}` ? `http://${behind}` : text

/** Its URL. It runs until the scope closes. */
export const open = ({ accessToken, port }: Options) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = http.createServer((request, response) => {
        const [own, behind] = [`127.0.0.1:${portOf(server)}`, `127.0.0.1:${port}`]
        const { host, origin, ...others } = request.headers
        const headers = {
          ...others,
          host: renamed(host, own, behind) ?? behind,
          ...(origin === undefined ? {} : { origin: renamed(origin, own, behind) }),
          authorization: `Bearer ${accessToken}`
        }
        const onward = http.request({
          host: "127.0.0.1",
          port,
          method: request.method,
          path: request.url,
          headers,
          agent: false
        })
        onward.on("response", (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(response)
        })
        onward.on("error", () => response.destroy())
        response.on("close", () => onward.destroy())
        request.pipe(onward)
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return { server, url: `http://127.0.0.1:${portOf(server)}` }
    }),
    ({ server }) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        server.close()
        await once(server, "close")
      })
  )
