import { UnexpectedAnswerError } from "./InferlogError.ts"

/** A block of an event stream: an event, or an id without one. */
export interface ServerSentEvent {
  /** `message` where the block names none. */
  readonly event: string
  /** Its lines, joined by newlines; `undefined` for a block without data, which is no event. */
  readonly data: string | undefined
  /** Where the block has an id: the place behind which the stream goes on. */
  readonly id: string | undefined
  /** The pause before the next connection that the server asks for, in ms. */
  readonly retry: number | undefined
}

/** Characters of one event, so that a broken server cannot fill the memory. */
const largest = 16 * 1024 * 1024

/**
 * Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), however their bytes are cut into
 * chunks. What follows the last empty line is no event. Fails with an `UnexpectedAnswerError` at an event of more than 16 MiB.
 */
export async function* events(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  // Drops a byte order mark.
  const decoder = new TextDecoder()
  /** The fields of the block so far, by their names. */
  let block: Record<string, string | undefined> = {}
  let size = 0
  let rest: Array<string> = []
  let endsWithReturn = false
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true })
    if (text === "") continue
    const isSecondHalf = endsWithReturn && text.startsWith("\n")
    endsWithReturn = text.endsWith("\r")
    if (isSecondHalf) text = text.slice(1)
    const lines = text.split(/\r\n|\r|\n/)
    const last = lines.pop() ?? ""
    for (const each of lines) {
      const line = rest.join("") + each
      rest = []
      size += each.length
      if (line === "") {
        const { data, event = "message", id, retry } = block
        if ((data ?? id ?? retry) !== undefined) {
          yield { event, data, id, retry: retry === undefined ? undefined : Number(retry) }
        }
        block = {}
        size = 0
      } else add(block, line)
      if (size > largest) throw tooLarge()
    }
    if (last !== "") rest.push(last)
    size += last.length
    if (size > largest) throw tooLarge()
  }
}

const add = (block: Record<string, string | undefined>, line: string): void => {
  const [, name = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
  if (name === "data") block[name] = block[name] === undefined ? value : `${block[name]}\n${value}`
  else if (name === "event") block[name] = value
  else if (name === "id" && !value.includes("\0")) block[name] = value
  else if (name === "retry" && /^\d+$/.test(value)) block[name] = value
}

const tooLarge = () => new UnexpectedAnswerError("An event of the stream has more than 16 MiB")
