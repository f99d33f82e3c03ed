/** Serializes JSON that contains stored payload texts, which are copied as they are and never parsed. */
import type { Unreadable } from "#streams/Payload.ts"
import { InlineText, type PayloadText, StoredText } from "#streams/PayloadText.ts"
import { type Piece, StreamedBody } from "./StreamedBody.ts"

/** Whether the value is copied as it is. */
const isPayload = (value: unknown): value is PayloadText<Unreadable> =>
  value instanceof InlineText || value instanceof StoredText

/** Serialized names of members. The views define the names, so there are few. */
const labels = new Map<string, string>()

const labelOf = (name: string): string => {
  const known = labels.get(name)
  if (known !== undefined) return known
  const label = `${JSON.stringify(name)}:`
  labels.set(name, label)
  return label
}

class Pieces {
  /** Alternating: text up to a payload that is not in memory, that payload, the text after it, and so on. */
  readonly #before: Array<Piece> = []
  #text = ""

  #payload(payload: PayloadText<Unreadable>): void {
    if (payload instanceof InlineText) {
      this.#text += payload.text
    } else {
      this.#before.push(this.#text, payload)
      this.#text = ""
    }
  }

  /** @param write handles members that `JSON.stringify` cannot, and returns whether it has written the value. */
  #object(object: object, write: (value: unknown) => boolean): void {
    const members = object as Readonly<Record<string, unknown>>
    let separator = "{"
    for (const name in members) {
      const value = members[name]
      if (value === undefined) continue
      this.#text += separator + labelOf(name)
      separator = ","
      if (!write(value)) this.#text += JSON.stringify(value)
    }
    this.#text += separator === "{" ? "{}" : "}"
  }

  record(record: object): void {
    this.#object(record, (value) => {
      if (!isPayload(value)) return false
      this.#payload(value)
      return true
    })
  }

  list(page: object, data: ReadonlyArray<object>): void {
    this.#object(page, (value) => {
      if (value !== data) return false
      this.#text += "["
      data.forEach((record, index) => {
        if (index > 0) this.#text += ","
        this.record(record)
      })
      this.#text += "]"
      return true
    })
  }

  body(): string | StreamedBody {
    return this.#before.length === 0 ? this.#text : new StreamedBody([...this.#before, this.#text])
  }
}

/** Serializes an object whose members may be payloads. */
export const ofRecord = (record: object): string | StreamedBody => {
  const pieces = new Pieces()
  pieces.record(record)
  return pieces.body()
}

/** Serializes a page with a list of such objects, which is one of its members. */
export const ofList = (page: object, list: ReadonlyArray<object>): string | StreamedBody => {
  const pieces = new Pieces()
  pieces.list(page, list)
  return pieces.body()
}
