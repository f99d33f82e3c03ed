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

/** Collects the fields of one block. */
class Block {
  #event = "message"
  #data: string | undefined
  #id: string | undefined
  #retry: number | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  add(line: string): void {
    this.#size += line.length
    const colon = line.indexOf(":")
    if (colon === 0) return
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1))
    if (name === "event") this.#event = value
    if (name === "data") this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
    if (name === "id" && !value.includes("\0")) this.#id = value
    if (name === "retry" && /^\d+$/.test(value)) this.#retry = Number(value)
  }

  end(): ServerSentEvent | undefined {
    const block = { event: this.#event, data: this.#data, id: this.#id, retry: this.#retry }
    return (this.#data ?? this.#id ?? this.#retry) === undefined ? undefined : block
  }
}

/**
 * Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), however their bytes are cut into
 * chunks. What follows the last empty line is no event. Fails with an `UnexpectedAnswerError` at an event of more than 16 MiB.
 */
export async function* events(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  // Drops a byte order mark.
  const decoder = new TextDecoder()
  let rest: Array<string> = []
  let restSize = 0
  let endsWithReturn = false
  let block = new Block()
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
      restSize = 0
      if (line !== "") block.add(line)
      else {
        const event = block.end()
        block = new Block()
        if (event !== undefined) yield event
      }
      if (block.size > largest) throw tooLarge()
    }
    if (last !== "") rest.push(last)
    restSize += last.length
    if (block.size + restSize > largest) throw tooLarge()
  }
}

const tooLarge = () => new UnexpectedAnswerError("An event of the stream has more than 16 MiB")
