/** Receivers of webhooks: real HTTPS servers that record what they get, and answer as the test says. */
import { Clock, Effect } from "effect"
import type * as Http from "node:http"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as Until from "#test/support/Until.ts"

export interface Posted {
  /** `webhook-id` */
  readonly id: string
  readonly headers: Http.IncomingHttpHeaders
  readonly text: string
  /** The test time of its arrival, Unix time in ms. */
  readonly at: number
}

/** A status, or an action on the response, which may stay unanswered. */
export type Answer = number | ((response: Http.ServerResponse, posted: Posted) => void)

export interface Hook {
  readonly origin: string
  readonly url: string
  readonly posted: () => ReadonlyArray<Posted>
  /** The current and the highest number of unanswered posts. */
  readonly open: () => { readonly now: number; readonly most: number }
  /** Applies from now on. */
  readonly answerWith: (answer: Answer) => void
  /** Waits for this many posts and returns the last. */
  readonly until: (count: number) => Effect.Effect<Posted>
}

const bodyOf = async (request: Http.IncomingMessage) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Answers 204 by default. */
export const make = Effect.fn("Hook.make")(function* (first: Answer = 204) {
  const clock = yield* Clock.clockWith(Effect.succeed)
  const posted: Array<Posted> = []
  const watchers = new Set<() => void>()
  let answer = first
  let now = 0
  let most = 0

  const take = async (request: Http.IncomingMessage, response: Http.ServerResponse) => {
    const text = await bodyOf(request)
    const { headers } = request
    const at = clock.currentTimeMillisUnsafe()
    const post = { id: String(headers["webhook-id"]), headers, text, at }
    now++
    most = Math.max(most, now)
    response.on("close", () => now--)
    posted.push(post)
    if (typeof answer === "number") response.writeHead(answer).end()
    else answer(response, post)
    watchers.forEach((watch) => watch())
  }

  const { port } = yield* Receiver.https((request, response) => {
    // Cuts the connection in the middle of a body.
    take(request, response).catch(() => response.destroy())
  })
  const origin = `https://receiver.example.com:${port}`
  const hook: Hook = {
    origin,
    url: `${origin}/hook`,
    posted: () => posted,
    open: () => ({ now, most }),
    answerWith: (next) => (answer = next),
    until: (count) =>
      Until.within(
        `post ${count}`,
        Effect.callback<Posted>((resume) => {
          const watch = () => {
            const last = posted[count - 1]
            if (last !== undefined) resume(Effect.succeed(last))
          }
          watchers.add(watch)
          watch()
        }),
        () => posted.map(({ at, id }) => ({ id, at }))
      )
  }
  return hook
})
