/** The developer's app: stores every POST and answers as instructed. */
import type * as http from "node:http"
import { Effect } from "effect"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"

export interface Post {
  /** `webhook-id` */
  readonly id: string
  readonly path: string
  /** By lower-case name. */
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

export type Answer = (post: Post, response: http.ServerResponse) => void

export const take: Answer = (_post, response) => void response.writeHead(204).end()

export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_post, response) =>
    void response.writeHead(code, headers).end()

/** Listens on any port, or on the given one, until the scope closes. */
export const make = Effect.fnUntraced(function* (answer: Answer = take, port = 0) {
  const posts: Array<Post> = []
  const watchers = new Set<() => void>()
  const receiver = yield* Receiver.http(
    (request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const text = Buffer.concat(chunks).toString()
        const post = {
          id: String(request.headers["webhook-id"]),
          path: request.url ?? "",
          headers: request.headers,
          text
        }
        posts.push(post)
        answer(post, response)
        watchers.forEach((look) => look())
      })
    },
    { port }
  )
  return {
    url: `http://127.0.0.1:${receiver.port}/hook`,
    posts: (): ReadonlyArray<Post> => posts,
    /** Waits for this many POSTs. */
    until: (count: number) =>
      Effect.promise(
        () =>
          new Promise<ReadonlyArray<Post>>((resolve) => {
            const look = () => (posts.length >= count ? resolve(posts) : undefined)
            watchers.add(look)
            look()
          })
      )
  }
})
