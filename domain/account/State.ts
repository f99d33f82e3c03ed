import { HashMap, Struct } from "effect"
import type { AccountId } from "../Ids.ts"
import type { NanoUsd } from "../Money.ts"
import type { Event } from "./Event.ts"
import * as Key from "./Key.ts"
import { type Limits, noLimits } from "./Limits.ts"
import * as SigningSecret from "./SigningSecret.ts"

export type State = { readonly _tag: "NotOpened" } | Opened

export interface Opened {
  readonly _tag: "Account"
  readonly accountId: AccountId
  readonly name: string
  readonly keys: ReadonlyMap<string, Key.Key>
  readonly limits: Limits
  /** What was paid in under each payment id: there may be thousands, so that none is copied for another one. */
  readonly payments: HashMap.HashMap<string, NanoUsd>
  /** Newest first; the first one is in force. */
  readonly signingSecrets: ReadonlyArray<SigningSecret.SigningSecret>
  readonly erasure: "none" | "under_way" | "finished"
}

export const initial: State = { _tag: "NotOpened" }

export const evolve = (state: State, event: Event): State => {
  if (event._tag === "AccountOpened") {
    const { accountId, name } = event
    return {
      _tag: "Account",
      accountId,
      name,
      keys: new Map(),
      limits: noLimits,
      payments: HashMap.empty(),
      signingSecrets: [],
      erasure: "none"
    }
  }
  if (state._tag === "NotOpened") return state
  switch (event._tag) {
    case "BalanceToppedUp":
      return event.paymentId === undefined
        ? state
        : { ...state, payments: HashMap.set(state.payments, event.paymentId, event.amount) }
    case "LimitsChanged": {
      const limits = Struct.omit(event, ["_tag", "at"])
      return { ...state, limits: { ...noLimits, ...limits } }
    }
    case "SigningSecretRotated":
      return { ...state, signingSecrets: SigningSecret.rotated(state.signingSecrets, event) }
    case "AccountErased":
      return { ...state, erasure: "under_way", keys: allRevoked(state.keys, event.at) }
    case "AccountErasureFinished":
      return { ...state, erasure: "finished" }
    case "KeyIssued":
      return withKey(state, Key.issued(event))
    case "KeyRotated": {
      const key = state.keys.get(event.keyId)
      return key === undefined ? state : withKey(state, Key.rotated(key, event))
    }
    case "KeyRevoked": {
      const key = state.keys.get(event.keyId)
      return key === undefined ? state : withKey(state, Key.revoked(key, event.at))
    }
  }
}

const allRevoked = (keys: ReadonlyMap<string, Key.Key>, at: number): ReadonlyMap<string, Key.Key> =>
  new Map(Array.from(keys, ([id, key]) => [id, Key.revoked(key, at)]))

const withKey = (state: Opened, key: Key.Key): State => ({
  ...state,
  keys: new Map(state.keys).set(key.keyId, key)
})
