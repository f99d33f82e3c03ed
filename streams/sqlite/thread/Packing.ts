/**
 * Batches and their results as flat arrays. Structured clone takes a third of the time for one flat array that it takes for
 * an object per append, event and payload.
 */
import type { ExpectedVersion, Version } from "../../ExpectedVersion.ts"
import type { SealedPayload } from "../../SealedPayload.ts"
import type { SqliteFailure } from "../SqliteFailure.ts"
import type { AppendRows, EventRow, FromThread, Result, ToThread } from "./Protocol.ts"

type Packed = ReadonlyArray<string | number | null>

type Appended = Extract<FromThread, { readonly _tag: "Appended" }>

/** `ToThread` and `FromThread` as they cross between the threads. */
export type PackedToThread = Exclude<ToThread, { readonly _tag: "Append" }> | Packed
export type PackedFromThread =
  | Exclude<FromThread, Appended>
  | (Omit<Appended, "results"> & { readonly results: Packed })

export const toThread = (message: ToThread): PackedToThread =>
  message._tag === "Append" ? packBatch(message.batch) : message

export const inThread = (message: PackedToThread): ToThread =>
  "_tag" in message ? message : { _tag: "Append", batch: unpackBatch(message) }

export const fromThread = (message: FromThread): PackedFromThread =>
  message._tag === "Appended" ? { ...message, results: packResults(message.results) } : message

export const outOfThread = (message: PackedFromThread): FromThread =>
  message._tag === "Appended" ? { ...message, results: unpackResults(message.results) } : message

/** Reads values in the order in which they were added. Types are trusted: the other thread has packed the values. */
class Values {
  readonly #packed: Packed
  #next = 0

  constructor(packed: Packed) {
    this.#packed = packed
  }

  get hasMore(): boolean {
    return this.#next < this.#packed.length
  }

  text(): string {
    return this.#packed[this.#next++] as string
  }

  number(): number {
    return this.#packed[this.#next++] as number
  }

  version(): Version | null {
    return this.#packed[this.#next++] as Version | null
  }

  /** Items after their number. */
  list<A>(read: () => A): Array<A> {
    const count = this.number()
    const items: Array<A> = []
    for (let index = 0; index < count; index++) items.push(read())
    return items
  }
}

const packBatch = (batch: ReadonlyArray<AppendRows>): Packed => {
  const packed: Array<string | number | null> = []
  for (const { erases, events, expected, payloads, stream } of batch) {
    packed.push(stream, expected._tag, expected._tag === "Exactly" ? expected.version : null, events.length)
    for (const { id, text, time, type } of events) packed.push(id, type, time, text)
    packed.push(payloads.length)
    for (const { content, hash, name, salt, size } of payloads)
      packed.push(
        name,
        salt,
        hash,
        size,
        content._tag,
        content._tag === "Inline" ? content.text : content.key
      )
    packed.push(erases.length, ...erases)
  }
  return packed
}

const unpackBatch = (packed: Packed): ReadonlyArray<AppendRows> => {
  const values = new Values(packed)
  const batch: Array<AppendRows> = []
  while (values.hasMore) {
    batch.push({
      stream: values.text(),
      expected: expectedOf(values.text(), values.version()),
      events: values.list((): EventRow => ({
        id: values.text(),
        type: values.text(),
        time: values.number(),
        text: values.text()
      })),
      payloads: values.list((): SealedPayload => ({
        name: values.text(),
        salt: values.text(),
        hash: values.text(),
        size: values.number(),
        content: contentOf(values.text(), values.text())
      })),
      erases: values.list(() => values.text())
    })
  }
  return batch
}

const expectedOf = (tag: string, version: Version | null): ExpectedVersion => {
  if (version !== null) return { _tag: "Exactly", version }
  return tag === "NoStream" ? { _tag: "NoStream" } : { _tag: "Any" }
}

const contentOf = (tag: string, value: string): SealedPayload["content"] =>
  tag === "Inline" ? { _tag: "Inline", text: value } : { _tag: "Blob", key: value }

const packResults = (results: ReadonlyArray<Result>): Packed => {
  const packed: Array<string | number> = []
  for (const result of results) {
    packed.push(result._tag)
    if (result._tag === "Rejected") packed.push(result.failure)
    if (result._tag === "Written")
      packed.push(result.sequence, result.ordinal, result.hashes.length, ...result.hashes)
  }
  return packed
}

const unpackResults = (packed: Packed): ReadonlyArray<Result> => {
  const values = new Values(packed)
  const results: Array<Result> = []
  while (values.hasMore) results.push(resultOf(values.text() as Result["_tag"], values))
  return results
}

const resultOf = (tag: Result["_tag"], values: Values): Result => {
  switch (tag) {
    case "Written":
      return {
        _tag: tag,
        sequence: values.number(),
        ordinal: values.number(),
        hashes: values.list(() => values.text())
      }
    case "Conflict":
      return { _tag: tag }
    case "Rejected":
      return { _tag: tag, failure: values.text() as SqliteFailure }
  }
}
