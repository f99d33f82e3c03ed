/** All keys that an account ever had. Keys may come and go by the thousand: none is copied for another one. */
import { HashMap, Option } from "effect"
import * as Grant from "./Grant.ts"
import * as Key from "./Key.ts"

export interface KeySet {
  /** By their ids; those that were revoked or have expired too. */
  readonly all: HashMap.HashMap<string, Key.Key>
  /** Those that may be valid: neither revoked, nor expired when the newest one was issued. About a hundred at most. */
  readonly current: ReadonlyArray<Pick<Key.Key, "keyId" | "grant">>
}

export const empty: KeySet = { all: HashMap.empty(), current: [] }

export const get = ({ all }: KeySet, keyId: string): Key.Key | undefined =>
  Option.getOrUndefined(HashMap.get(all, keyId))

export const values = ({ all }: KeySet): Iterable<Key.Key> => HashMap.values(all)

/** How many there ever were. */
export const size = ({ all }: KeySet): number => HashMap.size(all)

/** How many are valid at `now`, Unix time in ms. */
export const countValid = ({ current }: KeySet, now: number): number =>
  current.reduce((count, { grant }) => (Grant.isExpired(grant, now) ? count : count + 1), 0)

/** With a new key. */
export const issued = ({ all, current }: KeySet, key: Key.Key): KeySet => ({
  all: HashMap.set(all, key.keyId, key),
  current: [
    ...current.filter(({ grant, keyId }) => !Grant.isExpired(grant, key.issuedAt) && keyId !== key.keyId),
    { keyId: key.keyId, grant: key.grant }
  ]
})

/** With another secret of the key; of one that it does not have nothing follows. */
export const rotated = (keys: KeySet, event: Parameters<typeof Key.rotated>[1]): KeySet => {
  const key = get(keys, event.keyId)
  return key === undefined
    ? keys
    : { ...keys, all: HashMap.set(keys.all, key.keyId, Key.rotated(key, event)) }
}

/** Without the key being valid; of one that it does not have nothing follows. */
export const revoked = (keys: KeySet, keyId: string, at: number): KeySet => {
  const key = get(keys, keyId)
  if (key === undefined) return keys
  return {
    all: HashMap.set(keys.all, key.keyId, Key.revoked(key, at)),
    current: keys.current.filter((other) => other.keyId !== key.keyId)
  }
}

export const allRevoked = ({ all }: KeySet, at: number): KeySet => ({
  all: HashMap.map(all, (key) => Key.revoked(key, at)),
  current: []
})
