/** The keys and tokens of open streams: when one becomes invalid, its streams end. Only the hash of a secret is stored. */
import { Effect } from "effect"
import type { Authentication, Credential } from "#src/features/accounts/Authentication.ts"

/** Keys checked at the same time. Most accounts are in memory, so most checks take no time. */
const concurrency = 32

/** For an account that has to be read from the log. */
const patience = "1 second"

interface Group<Stream> {
  readonly presented: Credential
  readonly streams: Set<Stream>
}

export interface StreamKeys<Stream> {
  readonly add: (presented: Credential, stream: Stream) => void
  readonly remove: (presented: Credential, stream: Stream) => void
  /** Checks each key once, however many streams it has. No stream ends because the log cannot be read. */
  readonly judge: Effect.Effect<void>
}

/** @param end is called with each stream whose key is invalid. */
export const make = <Stream>(
  recognize: Authentication["Service"]["recognize"],
  end: (stream: Stream) => void
): StreamKeys<Stream> => {
  const groups = new Map<string, Group<Stream>>()

  const isStillGood = (presented: Credential) =>
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

/** Includes the secret, because a key has two for a time after a rotation, and each has tokens of its own. */
const keyOf = (presented: Credential): string => {
  if ("sessionId" in presented) {
    return `${presented.holder}.${presented.sessionId}:${presented.sessionHash}`
  }
  return "mac" in presented
    ? `${presented.keyId}.${presented.claims}.${presented.mac.toString("base64url")}`
    : `${presented.keyId}:${presented.secretHash}`
}
