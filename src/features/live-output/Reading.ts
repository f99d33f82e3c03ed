/** One reader of a request's output: where it is, and what it gets next. */
import { Effect } from "effect"
import type { Page, Place } from "./ChunkStore.ts"
import type { OutputReader } from "./LiveOutput.ts"
import type { LiveRun } from "./LiveRun.ts"

const id = /^(.+)-([1-9]\d{0,9})$/

/** `null` for an id that no chunk has. */
const placeOf = (text: string): Place | null => {
  const [, run, index] = id.exec(text) ?? []
  return run === undefined ? null : { run, index: Number(index) }
}

/** What ended a wait for chunks of a run. */
export type Waited = "full" | "behind" | "ended"

export class Reading {
  readonly #reader: OutputReader
  /** The last chunk that it has. */
  #place: Place | null = null
  /** Whether the client has chunks that a restart would take back. */
  #hasChunks: boolean
  /** `Page.cursor` in the run of `#place`. */
  #cursor: number | undefined
  #isWhole = false

  constructor(reader: OutputReader, after: string | null) {
    this.#reader = reader
    this.#hasChunks = after !== null
    if (after !== null) this.#place = placeOf(after)
  }

  get place(): Place | null {
    return this.#place === null ? null : { ...this.#place, cursor: this.#cursor }
  }

  /** Whether it has all chunks of a run that has succeeded. It stays so when the store loses them. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  /** The number of the last chunk that it has of this run. */
  indexIn(run: string): number {
    return this.#place?.run === run ? this.#place.index : 0
  }

  /** The next chunks are of this run. */
  enter(run: string): void {
    if (this.#place?.run === run) return
    if (this.#hasChunks) this.#reader.restart()
    this.#hasChunks = false
    this.#place = { run, index: 0 }
    this.#cursor = undefined
    this.#isWhole = false
  }

  /** It has all chunks of its run, which has succeeded. */
  complete(): void {
    this.#isWhole = true
  }

  /** False: the reader is full. */
  give(run: string, index: number, text: string): boolean {
    this.#place = { run, index }
    this.#hasChunks = true
    return this.#reader.chunk({ id: `${run}-${index}`, text })
  }

  /** Gives chunks that were stored, as fast as the reader takes them. */
  giveAll({ cursor, first, isComplete, run, texts }: Page): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      this.enter(run)
      for (const [index, text] of texts.entries()) {
        if (!this.give(run, first + index, text)) yield* this.#reader.ready
      }
      this.#cursor = cursor
      if (isComplete) this.complete()
    })
  }

  /** Gives each chunk when it is made, in the same turn. */
  follow(run: LiveRun): Effect.Effect<Waited> {
    return Effect.callback<Waited>((resume) => {
      this.enter(run.name)
      const pending = run.after(this.indexIn(run.name))
      if (pending === null) return resume(Effect.succeed("behind"))
      let index = this.indexIn(run.name)
      for (const text of pending) {
        if (!this.give(run.name, ++index, text)) return resume(Effect.succeed("full"))
      }
      if (run.isEnded) return resume(Effect.succeed("ended"))
      const leave = run.listen({
        take: (index, text) => {
          if (this.give(run.name, index, text)) return
          leave()
          resume(Effect.succeed("full"))
        },
        onEnd: () => resume(Effect.succeed("ended"))
      })
      return Effect.sync(leave)
    })
  }
}
