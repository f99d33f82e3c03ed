/** All keys that an account ever had. There may be thousands, so a change copies none of the others. */
import { HashMap, Option } from "effect"
import * as Grant from "./Grant.ts"
import * as Key from "./Key.ts"

export interface KeySet {
  /** By key id, including revoked and expired keys. */
  readonly all: HashMap.HashMap<string, Key.Key>
  /** Keys that may be valid: not revoked, and not expired when the newest key was issued. About a hundred at most. */
  readonly current: ReadonlyArray<Pick<Key.Key, "keyId" | "grant">>
}

export const empty: KeySet = { all: HashMap.empty(), current: [] }

export const get = ({ all }: KeySet, keyId: string): Key.Key | undefined =>
  Option.getOrUndefined(HashMap.get(all, keyId))

export const values = ({ all }: KeySet): Iterable<Key.Key> => HashMap.values(all)

/** The number of keys ever issued. */
export const size = ({ all }: KeySet): number => HashMap.size(all)

/** The number of valid keys at `now`, Unix time in ms. */
export const countValid = ({ current }: KeySet, now: number): number =>
  current.reduce((count, { grant }) => (Grant.isExpired(grant, now) ? count : count + 1), 0)

/**  */
export const issued = ({ all, current }: KeySet, key: Key.Key): KeySet => ({
  all: HashMap.set(all, key.keyId, key),
  current: [
    ...current.filter(({ grant, keyId }) => !Grant.isExpired(grant, key.issuedAt) && keyId !== key.keyId),
    { keyId: key.keyId, grant: key.grant }
  ]
})

/** An unknown key changes nothing. */
export const rotated = (keys: KeySet, event: Parameters<typeof Key.rotated>[1]): KeySet => {
  const key = get(keys, event.keyId)
  return key === undefined
    ? keys
    : { ...keys, all: HashMap.set(keys.all, key.keyId, Key.rotated(key, event)) }
}

/** An unknown key changes nothing. */
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
