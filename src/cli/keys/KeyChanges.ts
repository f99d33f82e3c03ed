/** The commands that rotate and revoke keys, of accounts and of workers. */
import { Console, Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { maxGraceMs } from "#domain/account/Key.ts"
import { KeyId } from "#domain/Ids.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as Output from "#src/cli/Output.ts"
import * as Span from "#src/cli/Span.ts"

type Operations = (typeof Administration)["Service"]

interface Rotated {
  readonly keyId: KeyId
  readonly key: Redacted.Redacted
  readonly previousExpiresAt: number | null
}

const keyId = Argument.String("key-id").pipe(
  Argument.withDescription("The part of the key before the colon"),
  Argument.withSchema(KeyId)
)

const grace = Flag.String("grace").pipe(
  Flag.withMetavar("SPAN"),
  Flag.withDescription("How long the previous secret stays valid, such as 24h, 7d or 0"),
  Flag.withDefault("24h"),
  Flag.filterMap(
    (text) => Option.filter(Span.parse(text), (ms) => ms <= maxGraceMs),
    () => "Expected a time from 0 to 7d such as 24h or 15m"
  )
)

/** The kind of key in texts, such as `key` and `an API key`. */
interface Words {
  readonly noun: string
  readonly one: string
}

export const rotate = <E>(
  { noun, one }: Words,
  operation: (
    operations: Operations,
    payload: { readonly keyId: KeyId; readonly graceMs: number }
  ) => Effect.Effect<Rotated, E>
) =>
  Command.make(
    "rotate",
    { keyId, grace, json: Output.json },
    Effect.fnUntraced(function* ({ grace, json, keyId }) {
      const { key, previousExpiresAt, ...ids } = yield* operation(yield* Administration, {
        keyId,
        graceMs: grace
      })
      const previousKeyExpiresAt = Output.timeOrNull(previousExpiresAt)
      const previous =
        previousKeyExpiresAt === null ? "is refused from now on" : `is valid until ${previousKeyExpiresAt}`
      yield* Console.error(`Rotated ${noun} ${keyId}; the previous secret ${previous}. Shown only once:`)
      yield* json
        ? Output.printJson({ ...ids, key: Redacted.value(key), previousKeyExpiresAt })
        : Console.log(Redacted.value(key))
    })
  ).pipe(
    Command.withDescription(
      `Replace the secret of ${one} and print the new key, once. The previous secret stays valid for --grace; older secrets do not`
    ),
    Command.withShortDescription(`Replace the secret of ${one}`)
  )

export const revoke = <E>(
  { noun, one }: Words,
  consequence: string,
  operation: (operations: Operations, payload: { readonly keyId: KeyId }) => Effect.Effect<void, E>
) =>
  Command.make(
    "revoke",
    { keyId, json: Output.json },
    Effect.fnUntraced(function* ({ keyId, json }) {
      yield* operation(yield* Administration, { keyId })
      yield* json ? Output.printJson({ keyId, revoked: true }) : Console.log(`Revoked ${noun} ${keyId}.`)
    })
  ).pipe(
    Command.withDescription(`Revoke ${one} permanently. ${consequence}`),
    Command.withShortDescription(`Revoke ${one}`)
  )
