/** The keys that streams were opened with: one that is good no more ends its streams. Of a secret its hash is kept alone. */
import { Effect } from "effect"
import type * as ApiKey from "#src/features/accounts/ApiKey.ts"
import type { Authentication } from "#src/features/accounts/Authentication.ts"

/** Keys that are asked about at once. Those of accounts in memory, which are nearly all, take no time. */
const concurrency = 32

/** For an account that has to be read. */
const patience = "1 second"

interface Group<Stream> {
  readonly presented: ApiKey.Presented
  readonly streams: Set<Stream>
}

export interface StreamKeys<Stream> {
  readonly add: (presented: ApiKey.Presented, stream: Stream) => void
  readonly remove: (presented: ApiKey.Presented, stream: Stream) => void
  /** Asks about each key once, however many streams it has open. Nobody is cut off because the log cannot be asked. */
  readonly judge: Effect.Effect<void>
}

/** @param end is called with each stream of a key that is none any more. */
export const make = <Stream>(
  recognize: Authentication["Service"]["recognize"],
  end: (stream: Stream) => void
): StreamKeys<Stream> => {
  const groups = new Map<string, Group<Stream>>()

  const isStillGood = (presented: ApiKey.Presented) =>
    recognize(presented).pipe(
      Effect.as(true),
      Effect.catchTag("Unauthorized", () => Effect.succeed(false)),
      Effect.catch(() => Effect.succeed(true)),
      Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(true) })
    )

  const judgeOne = ({ presented, streams }: Group<Stream>) =>
    Effect.map(isStillGood(presented), (isGood) => {
      if (!isGood) streams.forEach(end)
    })

  return {
    add: (presented, stream) => {
      const key = keyOf(presented)
      const group = groups.get(key)
      if (group === undefined) groups.set(key, { presented, streams: new Set([stream]) })
      else group.streams.add(stream)
    },
    remove: (presented, stream) => {
      const key = keyOf(presented)
      const group = groups.get(key)
      group?.streams.delete(stream)
      if (group?.streams.size === 0) groups.delete(key)
    },
    judge: Effect.suspend(() =>
      Effect.forEach([...groups.values()], judgeOne, { concurrency, discard: true })
    )
  }
}

/** By the secret too: a key has two while the one before is good. */
const keyOf = ({ keyId, secretHash }: ApiKey.Presented): string => `${keyId}:${secretHash}`
