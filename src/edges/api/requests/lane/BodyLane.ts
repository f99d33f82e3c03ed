/** The lane of large bodies: a second thread handles one body of an account at a time. `INPUT_MEMORY` bounds it. */
import { Duration, Effect, type Scope } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import * as KeyedMutex from "#src/kernel/limits/KeyedMutex.ts"
import * as WorkerPool from "#src/kernel/threads/WorkerPool.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as JsonBody from "#src/edges/http/requests/JsonBody.ts"
import type { LaneAnswer, LaneTask } from "./LaneTask.ts"

export type ReadBody = Extract<LaneAnswer, { readonly _tag: "Read" }>

export interface BodyLane {
  /** `entry`: the model, or `null` when it is unknown. */
  readonly read: (options: {
    readonly account: AccountId
    readonly body: Uint8Array
    readonly entry: CatalogEntry | null
    /** Whether the content of the body is wanted, too. */
    readonly hasKey: boolean
  }) => Effect.Effect<ReadBody, ErrorAnswer.ErrorAnswer>
}

/** The deadline for one body. Most take less than a second. */
const deadline = Duration.seconds(10)

/** From these bytes, or this memory of values (`JsonScan`), a body is read in the lane. */
const longText = 256 * 1024
const heavy = 1024 * 1024

/** A wrapper's input is also validated against its base model's schema, so the main thread reads it. */
const isWrapper = ({ model, runs }: CatalogEntry) => model.endpoint !== runs

export const isLarge = (bytes: number, weight: number): boolean => bytes > longText || weight > heavy

/** Of large bodies. */
export const takes = (entry: CatalogEntry | null): boolean => entry === null || !isWrapper(entry)

export const make: Effect.Effect<BodyLane, never, Scope.Scope> = Effect.gen(function* () {
  const pool = yield* WorkerPool.make({
    file: new URL("./laneThread.ts", import.meta.url),
    size: 1,
    heapMb: 256,
    muted: true,
    timeToLive: Duration.minutes(5)
  })
  const inTurn = KeyedMutex.make()

  const read: BodyLane["read"] = Effect.fnUntraced(function* ({ account, body, entry, hasKey }) {
    const task: LaneTask = {
      body,
      hasKey,
      schema: entry?.model.inputSchema ?? null,
      schemaKey: entry === null ? "" : `${entry.model.endpoint}@${entry.model.version}`
    }
    const answer = (yield* pool.run({ task, started: Effect.void, deadline }).pipe(
      inTurn(account),
      Effect.catchTag("WorkerLost", (lost) =>
        lost.reason === "crashed"
          ? Effect.as(Effect.logError("The thread that reads large bodies was lost", lost), null)
          : Effect.fail(ErrorAnswer.bodyTooComplex)
      )
    )) as LaneAnswer | null
    if (answer === null) return yield* ErrorAnswer.unexpected
    if (answer._tag === "Read") return answer
    if (answer._tag === "Repeated") return yield* JsonBody.repeated(answer.path)
    return yield* answer.fault === "not_an_object"
      ? JsonBody.notAnObject
      : JsonBody.errorAnswers[answer.fault]
  })

  return { read }
})
