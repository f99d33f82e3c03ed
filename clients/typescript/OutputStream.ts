/** The output of a request as it is made (docs/apps/streams.md). */
import { eventsOf, isEventStream, parsed, reconnecting } from "./EventStream.ts"
import type { Exchange, Http, Opened } from "./Http.ts"
import { locate, type RequestRef } from "./RequestRef.ts"
import type { CallScope } from "./Scope.ts"
import { submission, type SubmitOptions } from "./Submitting.ts"
import type { CreatedRequest, Outcome, Status } from "./Wire.ts"

export interface OutputEnd {
  readonly request_id: string
  readonly status: Status
  readonly outcome: Outcome
  /** USD, as decimal text. */
  readonly cost: string
  readonly error: string | null
}

/** `Chunk`: as the model makes it. */
export type OutputEvent<Chunk = unknown> =
  | { readonly type: "request"; readonly data: CreatedRequest }
  /** The next part of the output. The model's `stream` says how parts add up. */
  | { readonly type: "chunk"; readonly data: Chunk; readonly id?: string | undefined }
  /** The output begins again: the chunks so far do not count. */
  | { readonly type: "restart"; readonly data: Readonly<Record<string, unknown>> }
  | { readonly type: "progress"; readonly data: { readonly progress: number } }
  /** The last one. */
  | { readonly type: "done"; readonly data: OutputEnd }

export interface StreamOptions extends SubmitOptions {
  /** The server cancels the request if the connection ends before the output does. */
  readonly cancelOnDisconnect?: boolean | undefined
}

const types = ["request", "chunk", "restart", "progress", "done"]

interface Begun {
  /** Submits the request, if it does not exist yet. */
  readonly submission?: Exchange
  readonly ref?: RequestRef
  readonly lastEventId?: string | undefined
}

const accept = "text/event-stream"

/** Goes on behind what it has read, over as many connections as it takes. */
async function* followed<Chunk>(
  http: Http,
  { lastEventId, ref, submission }: Begun,
  scope: CallScope
): AsyncGenerator<OutputEvent<Chunk>> {
  const attempts = http.attempts(scope)
  let last = lastEventId
  let located = ref === undefined ? undefined : await locate(http, ref, scope)
  const connect = () => {
    const headers = { accept, "last-event-id": last }
    const stream = { host: "queue", path: `${located?.path}/output/stream`, headers } as const
    return http.connect(located === undefined && submission ? submission : stream, scope, attempts)
  }
  yield* reconnecting(attempts, connect, async function* (opened) {
    if (located === undefined && !isEventStream(opened)) {
      const data = parsed<CreatedRequest>(await textOf(opened))
      located = await locate(http, data, scope)
      yield { type: "request", data }
      return false
    }
    for await (const { data, event, id } of eventsOf(opened, attempts)) {
      if (id !== undefined && id === last) continue
      last = id ?? (event === "restart" ? undefined : last)
      if (data === undefined || !types.includes(event)) continue
      const item = { type: event, data: parsed(data), ...(event === "chunk" && { id }) } as OutputEvent<Chunk>
      if (item.type === "request") {
        if (located !== undefined) continue
        located = await locate(http, item.data, scope)
      }
      yield item
      if (event === "done") return true
    }
    return false
  })
}

/** The output of a request that exists, behind the chunk with the given id. */
export const output = <Chunk>(
  http: Http,
  ref: RequestRef,
  lastEventId: string | undefined,
  scope: CallScope
): AsyncGenerator<OutputEvent<Chunk>> => followed<Chunk>(http, { ref, lastEventId }, scope)

/** The body of an answer that is one text. */
const textOf = async ({ chunks }: Opened): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ""
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

/** Submits, and reads the output in the same answer, or in another if that one ends early. */
export async function* submitted<Chunk>(
  http: Http,
  model: string,
  input: unknown,
  options: StreamOptions,
  scope: CallScope
): AsyncGenerator<OutputEvent<Chunk>> {
  const post = await submission(http, model, input, options, scope)
  const cancels = options.cancelOnDisconnect ? "true" : undefined
  const headers = { ...post.headers, accept, "cancel-on-disconnect": cancels }
  yield* followed<Chunk>(http, { submission: { ...post, headers } }, scope)
}
