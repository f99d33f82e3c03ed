/** What the server's event streams have in common. */
import { type Attempts, Broken } from "./Attempts.ts"
import type { Opened } from "./Http.ts"
import { UnexpectedAnswerError } from "./InferlogError.ts"
import { events, type ServerSentEvent } from "./Sse.ts"

/** The longest pause between connections that a stream may ask for, in ms. */
const longestRetry = 30_000

export const isEventStream = ({ response }: Opened): boolean =>
  /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")

/** The data of an event, unchecked. */
export const parsed = <A>(data: string): A => {
  try {
    return JSON.parse(data) as A
  } catch (cause) {
    throw new UnexpectedAnswerError("The data of an event is not JSON", { cause })
  }
}

/** The events of one connection. Throws `Broken` at its end: a reader that has seen the last event asks for no more. */
export async function* eventsOf(opened: Opened, attempts: Attempts): AsyncGenerator<ServerSentEvent> {
  try {
    if (!isEventStream(opened)) throw new UnexpectedAnswerError("The answer is not an event stream")
    for await (const event of events(opened.chunks)) {
      if (event.retry !== undefined) attempts.retry = Math.min(event.retry, longestRetry)
      if (event.data !== undefined) attempts.begunAnew()
      yield event
    }
    throw new Broken("the stream ended", undefined)
  } finally {
    opened.close()
  }
}

/** Connects as often as it takes, until `read` says that it has seen the last event. */
export async function* reconnecting<A>(
  attempts: Attempts,
  connect: () => Promise<Opened>,
  read: (opened: Opened) => AsyncGenerator<A, boolean>
): AsyncGenerator<A> {
  for (let isOver = false; !isOver;) {
    try {
      isOver = yield* read(await connect())
    } catch (error) {
      await attempts.next(error)
    }
  }
}
