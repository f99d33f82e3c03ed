import { HashMap, Struct } from "effect"
import type { AccountId } from "../Ids.ts"
import type { NanoUsd } from "../Money.ts"
import type { Event } from "./Event.ts"
import * as Key from "./Key.ts"
import * as KeySet from "./KeySet.ts"
import { type Limits, noLimits } from "./Limits.ts"
import * as SigningSecret from "./SigningSecret.ts"

export type State = { readonly _tag: "NotOpened" } | Opened

export interface Opened {
  readonly _tag: "Account"
  readonly accountId: AccountId
  readonly name: string
  readonly keys: KeySet.KeySet
  readonly limits: Limits
  /**
   * The amount paid in with each payment id. A HashMap, because there may be thousands and a change must not copy all of
   * them.
   */
  readonly payments: HashMap.HashMap<string, NanoUsd>
  /** Newest first. The first one is current. */
  readonly signingSecrets: ReadonlyArray<SigningSecret.SigningSecret>
  /** Hashed and sealed. `null`: no password. */
  readonly password: string | null
  readonly erasure: "none" | "under_way" | "finished"
}

/** The key with that id, valid or not. */
export const keyOf = (state: State, keyId: string): Key.Key | undefined =>
  state._tag === "Account" ? KeySet.get(state.keys, keyId) : undefined

export const initial: State = { _tag: "NotOpened" }

export const evolve = (state: State, event: Event): State => {
  if (event._tag === "AccountOpened") {
    const { accountId, name } = event
    return {
      _tag: "Account",
      accountId,
      name,
      keys: KeySet.empty,
      limits: noLimits,
      payments: HashMap.empty(),
      signingSecrets: [],
      password: null,
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
    case "PasswordChanged":
      return { ...state, password: event.sealed }
    case "AccountErased":
      return {
        ...state,
        erasure: "under_way",
        keys: KeySet.allRevoked(state.keys, event.at),
        password: null
      }
    case "AccountErasureFinished":
      return { ...state, erasure: "finished" }
    case "KeyIssued":
      return { ...state, keys: KeySet.issued(state.keys, Key.issued(event)) }
    case "KeyRotated":
      return { ...state, keys: KeySet.rotated(state.keys, event) }
    case "KeyRevoked":
      return { ...state, keys: KeySet.revoked(state.keys, event.keyId, event.at) }
  }
}
