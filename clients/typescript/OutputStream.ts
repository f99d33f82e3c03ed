/** The output of a request as it is made (docs/apps/streams.md). */
import type { Attempts } from "./Attempts.ts"
import { eventsOf, isEventStream, noStream, parsed } from "./EventStream.ts"
import type { Http, Opened } from "./Http.ts"
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

/** Goes on behind what it has read, over as many connections as it takes. */
class Reader {
  lastEventId: string | undefined
  readonly attempts: Attempts

  constructor(attempts: Attempts, lastEventId?: string) {
    this.attempts = attempts
    this.lastEventId = lastEventId
  }

  async *read<Chunk>(opened: Opened): AsyncGenerator<OutputEvent<Chunk>> {
    for await (const { data, event, id } of eventsOf(opened, this.attempts)) {
      if (id !== undefined && id === this.lastEventId) continue
      if (event === "restart") this.lastEventId = undefined
      if (id !== undefined) this.lastEventId = id
      if (data === undefined || !types.includes(event)) continue
      yield { type: event, data: parsed(data), ...(event === "chunk" && { id }) } as OutputEvent<Chunk>
      if (event === "done") return
    }
  }
}

async function* followed<Chunk>(
  http: Http,
  ref: RequestRef,
  reader: Reader,
  scope: CallScope
): AsyncGenerator<OutputEvent<Chunk>> {
  const { path } = await locate(http, ref, scope)
  while (true) {
    try {
      const headers = { accept: "text/event-stream", "last-event-id": reader.lastEventId }
      const opened = await http.connect(
        { host: "queue", path: `${path}/output/stream`, headers },
        scope,
        reader.attempts
      )
      if (!isEventStream(opened)) throw noStream(opened)
      return yield* reader.read<Chunk>(opened)
    } catch (error) {
      await reader.attempts.next(error)
    }
  }
}

/** The output of a request that exists, behind the chunk with the given id. */
export const output = <Chunk>(
  http: Http,
  ref: RequestRef,
  lastEventId: string | undefined,
  scope: CallScope
): AsyncGenerator<OutputEvent<Chunk>> =>
  followed<Chunk>(http, ref, new Reader(http.attempts(scope), lastEventId), scope)

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
  const { headers, ...post } = await submission(http, model, input, options, scope)
  const wanted = {
    ...headers,
    accept: "text/event-stream",
    "cancel-on-disconnect": options.cancelOnDisconnect ? "true" : undefined
  }
  const reader = new Reader(http.attempts(scope))
  let request: CreatedRequest | undefined
  while (request === undefined) {
    try {
      const opened = await http.connect({ ...post, headers: wanted }, scope, reader.attempts)
      if (!isEventStream(opened)) {
        request = parsed<CreatedRequest>(await textOf(opened))
        yield { type: "request", data: request }
        break
      }
      for await (const event of reader.read<Chunk>(opened)) {
        if (event.type === "request") {
          if (request !== undefined) continue
          request = event.data
          scope.requestId = request.request_id
        }
        yield event
        if (event.type === "done") return
      }
    } catch (error) {
      await reader.attempts.next(error)
    }
  }
  yield* followed<Chunk>(http, request, reader, scope)
}
