/** A webhook receiver over HTTPS on this machine. It stores every POST and answers as instructed. */
import type * as Http from "node:http"
import { fileURLToPath } from "node:url"
import { Effect, type Scope } from "effect"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as Until from "#test/support/Until.ts"

/** Settings that let a server reach it: trust in its certificate, and private addresses allowed. */
export const settings = {
  NODE_EXTRA_CA_CERTS: fileURLToPath(new URL("../fixtures/tls/ca.pem", import.meta.url)),
  ALLOW_PRIVATE_TARGETS: "true"
}

export interface Post {
  /** `webhook-id` */
  readonly id: string
  readonly path: string
  /** By lower-case name. */
  readonly headers: Http.IncomingHttpHeaders
  readonly body: Buffer
  /** When the whole request had arrived, Unix time in ms. */
  readonly at: number
  /** The number of this POST under its id, from 1. */
  readonly turn: number
}

export type Answer = (post: Post, response: Http.ServerResponse) => void

export interface WebhookReceiver {
  /** In the order of arrival, including those not answered yet. */
  readonly posts: () => ReadonlyArray<Post>
  /** The POSTs under one id. */
  readonly of: (id: string) => ReadonlyArray<Post>
  readonly url: (path?: string) => string
  /** Waits for this number of POSTs under the id and returns them. Fails after 40 s by default, because a server sends them. */
  readonly until: (id: string, count?: number, limit?: Until.Limit) => Effect.Effect<ReadonlyArray<Post>>
}

const accept: Answer = (_post, response) => void response.writeHead(204).end()

/** The part of a request that has arrived. */
const readBody = async (request: Http.IncomingMessage): Promise<Buffer | null> => {
  const chunks: Array<Buffer> = []
  try {
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
  } catch {
    return null
  }
  return Buffer.concat(chunks)
}

/** Listens until the scope closes. */
export const make = Effect.fn("WebhookReceiver.make")(function* (
  answer: Answer = accept
): Effect.fn.Return<WebhookReceiver, never, Scope.Scope> {
  const posts: Array<Post> = []
  const byId = new Map<string, Array<Post>>()
  const of = (id: string) => byId.get(id) ?? []

  const remember = (request: Http.IncomingMessage, body: Buffer): Post => {
    const id = String(request.headers["webhook-id"])
    const turn = of(id).length + 1
    const post = { id, path: request.url ?? "", headers: request.headers, body, at: Date.now(), turn }
    posts.push(post)
    byId.set(id, [...of(id), post])
    return post
  }
  const { port } = yield* Receiver.https((request, response) => {
    void readBody(request).then((body) => {
      if (body !== null) answer(remember(request, body), response)
    })
  })

  return {
    posts: () => posts,
    of,
    url: (path = "/") => `https://127.0.0.1:${port}${path}`,
    until: (id, count = 1, limit = Until.processes) =>
      Until.answers(async () => {
        const found = of(id)
        if (found.length < count) throw new Error(`${found.length} of ${count} posts of ${id} have come`)
        return found
      }, limit)
  }
})
