import { Schema } from "effect"
import * as Key from "#domain/account/Key.ts"

export class KeyNotFound extends Schema.TaggedError<KeyNotFound>()("KeyNotFound", {}) {
  override readonly message = "There is no such key"
}

/** The key belongs to another account. */
export class KeyForbidden extends Schema.TaggedError<KeyForbidden>()("KeyForbidden", {}) {}

export class KeyRevoked extends Schema.TaggedError<KeyRevoked>()("KeyRevoked", {}) {
  override readonly message = "The key was revoked"
}

export class KeyExpired extends Schema.TaggedError<KeyExpired>()("KeyExpired", {}) {
  override readonly message = "The key has expired"
}

/** A key would give rights, in these fields, that it does not have. */
export class GrantExceeded extends Schema.TaggedError<GrantExceeded>()("GrantExceeded", {
  fields: Schema.Array(Schema.Literals(Key.grantFields))
}) {}

/** The call used the previous secret, which cannot change keys. */
export class SecretSuperseded extends Schema.TaggedError<SecretSuperseded>()("SecretSuperseded", {}) {}

/** The account's keys have created the most keys over time, ended ones included. */
export class KeysUsedUp extends Schema.TaggedError<KeysUsedUp>()("KeysUsedUp", {
  limit: Schema.Int
}) {}

/** The account has the most keys that are neither revoked nor expired. */
export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", {
  limit: Schema.Int
}) {
  override get message(): string {
    return `The account has ${this.limit} keys that are neither revoked nor expired: revoke one first`
  }
}
