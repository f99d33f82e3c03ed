/** The output of one run on this node, while it is made. Chunks are in memory until they are stored. */
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { RequestId } from "#domain/Ids.ts"
import type { Batch } from "./ChunkStore.ts"

/** Its functions must neither wait nor throw. */
export interface Listener {
  /** `text`: JSON. */
  readonly take: (index: number, text: string) => void
  readonly onEnd: () => void
}

/** The most bytes of a batch, unless one chunk is larger. */
const batchBytes = 64 * 1024

/** Bytes of one chunk: with its envelope it must fit into a message of 1 MB. */
const mostChunkBytes = 512 * 1024

/** Bytes that wait for the store, and bytes of a whole run. A run beyond shows its output to late readers when it has ended. */
const mostWaitingBytes = 1024 * 1024
const mostBytes = 64 * 1024 * 1024

export class LiveRun {
  readonly requestId: RequestId
  readonly name: string
  readonly #onWaiting: (run: LiveRun) => void
  readonly #listeners = new Set<Listener>()
  /** Chunks that are not stored yet, and the number of the first of them. */
  #waiting: Array<string> = []
  #first = 1
  #waitingBytes = 0
  #bytes = 0
  #isStored = true
  #isUnannounced = false
  #isEnded = false
  #isComplete = false

  /** @param onWaiting called after each chunk that has to be stored. */
  constructor(requestId: RequestId, name: string, onWaiting: (run: LiveRun) => void) {
    this.requestId = requestId
    this.name = name
    this.#onWaiting = onWaiting
  }

  /** The number of the last chunk; 0 before the first. */
  get last(): number {
    return this.#first + this.#waiting.length - 1
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Whether it succeeded and every chunk was shown. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Whether a batch is full. */
  get isFull(): boolean {
    return this.#waitingBytes >= batchBytes
  }

  /** @param scalar the text of a chunk that cannot remember it. */
  chunk(json: Json, scalar: string | null = null): void {
    if (this.#isEnded) return
    const text = scalar ?? JsonText.writeLine(json)
    const bytes = Buffer.byteLength(text)
    this.#bytes += bytes
    this.#waiting.push(text)
    this.#waitingBytes += bytes
    const index = this.last
    // A listener that is full leaves, and may come back at once: it has this chunk.
    const listeners = Array.from(this.#listeners)
    for (const { take } of listeners) take(index, text)
    if (bytes > mostChunkBytes || this.#bytes > mostBytes || this.#waitingBytes > mostWaitingBytes) {
      this.storeNoMore()
    } else if (this.#isStored) this.#onWaiting(this)
    if (!this.#isStored) this.#forget(this.#waiting.length)
  }

  /** Readers of the store learn that it replaces an earlier run, also before its first chunk. */
  announce(): void {
    this.#isUnannounced = true
    this.#onWaiting(this)
  }

  /** No more chunks come. `isComplete`: they add up to the output. */
  end(isComplete: boolean): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#isComplete = isComplete
    this.#onWaiting(this)
  }

  /** Another run makes the output. Chunks that wait are not stored: behind those of the other run they would count as newer. */
  replace(): void {
    this.end(false)
    this.storeNoMore()
    this.close()
  }

  /** Tells the listeners that it has ended, when its last chunks are stored. */
  close(): void {
    for (const { onEnd } of this.#listeners) onEnd()
    this.#listeners.clear()
  }

  /** The chunks after the one with number `index`; `null` if some of them are not in memory any more. */
  after(index: number): ReadonlyArray<string> | null {
    return index + 1 < this.#first ? null : this.#waiting.slice(index + 1 - this.#first)
  }

  /** Returns a function that removes the listener. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** What has to be stored, in batches of at most `batchBytes`. */
  batches(): ReadonlyArray<Batch> {
    if (!this.#isStored) return []
    const { name: run, requestId } = this
    const batches: Array<Batch> = []
    let texts: Array<string> = []
    let size = 0
    let first = this.#first
    const add = (isComplete: boolean) => {
      batches.push({ requestId, run, first, texts, isComplete })
      first += texts.length
      texts = []
      size = 0
    }
    for (const text of this.#waiting) {
      if (size > 0 && size + text.length > batchBytes) add(false)
      texts.push(text)
      size += text.length
    }
    if (texts.length > 0 || this.#isComplete || this.#isUnannounced) add(this.#isComplete)
    this.#isUnannounced = false
    return batches
  }

  /** The chunks up to this number are stored. */
  stored(last: number): void {
    this.#forget(last + 1 - this.#first)
  }

  /** The store has failed. Listeners still get every chunk, and other readers get the output at the end. */
  storeNoMore(): void {
    this.#isStored = false
    this.#forget(this.#waiting.length)
  }

  #forget(count: number): void {
    if (count <= 0) return
    const gone = this.#waiting.splice(0, count)
    this.#first += gone.length
    this.#waitingBytes =
      this.#waiting.length === 0
        ? 0
        : this.#waitingBytes - gone.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  }
}
