/**
 * One request to a provider and its answer as it arrives, for protocols that stream. Parts are passed on where undici
 * receives them, because a fiber for each would cost more than everything else that a token needs.
 */
import { Effect, Exit, type Scope } from "effect"
import type { Dispatcher } from "undici"
import * as ContentDecoding from "./ContentDecoding.ts"
import type { NoAnswer } from "./NoAnswer.ts"
import { type Exchange, flatten, reasonOf } from "./ProviderExchange.ts"

type Reason = NoAnswer["reason"]

/** Takes the next part of a body. `false`: no more. What it throws is a defect of the read. */
export type Take = (part: Uint8Array) => boolean

export interface Opened {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Passes on each part as it arrives, until the end or until `take` returns `false`. Call it once, within the scope. */
  readonly each: (take: Take) => Effect.Effect<void, Reason>
}

/** Why this side ended an exchange. Never shown. */
const ended = new Error("the exchange was ended")

type End = Exit.Exit<void, Reason>

/** The body of an answer, from undici to the caller that takes its parts. */
class Body {
  readonly #maxBytes: number
  #size = 0
  /** Parts that arrive before they can be taken. */
  readonly #early: Array<Uint8Array> = []
  #take: Take | null = null
  #end: End | null = null
  #onEnd: (end: End) => void = () => {}

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Whether no more parts are wanted. */
  get isOver(): boolean {
    return this.#end !== null
  }

  add(part: Uint8Array): void {
    if (this.isOver) return
    this.#size += part.length
    if (this.#size > this.#maxBytes) this.end(Exit.fail("too_large"))
    else if (this.#take === null) this.#early.push(part)
    else this.#pass(this.#take, part)
  }

  end(end: End): void {
    if (this.isOver) return
    this.#end = end
    this.#onEnd(end)
  }

  /** Calls `onEnd` once. Parts that came before the end are taken, also when it has ended already. */
  passTo(take: Take, onEnd: (end: End) => void): void {
    const known = this.#end
    this.#end = null
    this.#take = take
    this.#onEnd = onEnd
    for (const part of this.#early.splice(0)) if (!this.isOver) this.#pass(take, part)
    if (known !== null) this.end(known)
  }

  #pass(take: Take, part: Uint8Array): void {
    try {
      if (!take(part)) this.end(Exit.void)
    } catch (defect) {
      this.end(Exit.die(defect))
    }
  }
}

/** Closing the scope closes the connection of an unread answer, which ends the call. Has no deadline. */
export const open = Effect.fnUntraced(function* (
  dispatcher: Dispatcher,
  { maxBytes, onSent, ...request }: Exchange
): Effect.fn.Return<Opened, Reason, Scope.Scope> {
  const body = new Body(maxBytes)
  const sink: ContentDecoding.Sink = {
    add: (part) => {
      body.add(part)
      return !body.isOver
    },
    end: () => body.end(Exit.void),
    fail: () => body.end(Exit.fail("undecodable"))
  }
  let content: ContentDecoding.Source | undefined
  let received = 0
  let controller: Dispatcher.DispatchController | undefined
  let isClosed = false
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isClosed = true
      content?.close()
      controller?.abort(ended)
    })
  )

  const each = (take: Take) =>
    Effect.callback<void, Reason>((resume) => {
      body.passTo(take, resume)
      controller?.resume()
      return Effect.sync(() => controller?.abort(ended))
    })

  return yield* Effect.callback<Opened, Reason>((resume) => {
    dispatcher.dispatch(
      { ...request, headers: { ...request.headers } },
      {
        onRequestStart: (started) => {
          controller = started
          if (isClosed) started.abort(ended)
          else onSent()
        },
        onResponseStart: (started, status, given) => {
          if (status < 200) return
          const { headers, source } = ContentDecoding.into(sink, flatten(given))
          content = source
          if (Number(headers["content-length"]) > maxBytes) return resume(Effect.fail("too_large"))
          started.pause()
          resume(Effect.succeed({ status, headers, each }))
        },
        onResponseData: (_controller, part) => {
          received += part.length
          if (received > maxBytes) body.end(Exit.fail("too_large"))
          else content?.add(part)
        },
        onResponseEnd: () => {
          // The connection is free for the next call.
          controller = undefined
          content?.end()
        },
        onResponseError: (_controller, cause) => {
          const reason = reasonOf(cause)
          content?.close()
          body.end(Exit.fail(reason))
          resume(Effect.fail(reason))
        }
      }
    )
  })
})
