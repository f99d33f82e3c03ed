/** Why something cannot be done with a key. */
import { Schema } from "effect"
import * as Key from "#domain/account/Key.ts"

export class KeyNotFound extends Schema.TaggedError<KeyNotFound>()("KeyNotFound", {}) {
  override readonly message = "There is no such key"
}

/** The key is another account's. */
export class KeyForbidden extends Schema.TaggedError<KeyForbidden>()("KeyForbidden", {}) {}

export class KeyRevoked extends Schema.TaggedError<KeyRevoked>()("KeyRevoked", {}) {
  override readonly message = "The key was revoked"
}

export class KeyExpired extends Schema.TaggedError<KeyExpired>()("KeyExpired", {}) {
  override readonly message = "The key has expired"
}

/** A key would give, in these fields, what it does not have itself. */
export class GrantExceeded extends Schema.TaggedError<GrantExceeded>()("GrantExceeded", {
  fields: Schema.Array(Schema.Literals(Key.grantFields))
}) {}

/** The caller came with the secret before the one in force: it calls, but no longer decides about keys. */
export class SecretSuperseded extends Schema.TaggedError<SecretSuperseded>()("SecretSuperseded", {}) {}

/** The account's keys have given it as many keys as they may, ended ones included. */
export class KeysUsedUp extends Schema.TaggedError<KeysUsedUp>()("KeysUsedUp", {
  limit: Schema.Int
}) {}

/** As many keys of the account as may be are neither revoked nor expired. */
export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", {
  limit: Schema.Int
}) {
  override get message(): string {
    return `The account has ${this.limit} keys that are neither revoked nor expired: revoke one first`
  }
}
