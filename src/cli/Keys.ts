import { Console, Effect, Layer, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { Administration } from "#src/admin/Administration.ts"
import { allKeys, onlyAccount } from "./AccountChoice.ts"
import * as ExistingLog from "./ExistingLog.ts"
import * as NameFlag from "./NameFlag.ts"
import * as OperatorAccess from "./OperatorAccess.ts"
import * as Output from "./Output.ts"

const account = Flag.String("account").pipe(
  Flag.withMetavar("acc_…"),
  Flag.withSchema(AccountId),
  Flag.optional
)

const create = Command.make(
  "create",
  {
    account: account.pipe(
      Flag.withDescription("The account of the key; may be left out when there is only one")
    ),
    name: NameFlag.make("What the key is for"),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ account, name, json }) {
    const accountId = Option.isSome(account) ? account.value : yield* onlyAccount
    const { key, keyId } = yield* (yield* Administration).issueKey({ accountId, name })
    yield* Console.error(`Created key ${keyId} of account ${accountId}. Shown this once:`)
    yield* json
      ? Output.printJson({ accountId, keyId, key: Redacted.value(key) })
      : Console.log(Redacted.value(key))
  })
).pipe(
  Command.withDescription("Create an API key and print it, once: the log has its hash only"),
  Command.withShortDescription("Create an API key"),
  Command.withExamples([
    { command: "inferlog keys create --name ci" },
    { command: "inferlog keys create --account acc_0123456789abcdef --name ci --json" }
  ])
)

const list = Command.make(
  "list",
  { account: account.pipe(Flag.withDescription("Only the keys of this account")), json: Output.json },
  Effect.fnUntraced(function* ({ account, json }) {
    const found = yield* allKeys(account)
    const keys = found.map(({ issuedAt, revokedAt, ...key }) => ({
      ...key,
      createdAt: Output.time(issuedAt),
      revokedAt: Output.timeOrNull(revokedAt)
    }))
    if (json) return yield* Output.printJson(keys)
    if (keys.length === 0) return yield* Console.error("There are no keys.")
    yield* Console.log(
      Output.table(
        ["KEY", "NAME", "ACCOUNT", "ACCOUNT NAME", "CREATED", "REVOKED"],
        keys.map((key) => [
          key.keyId,
          key.name,
          key.accountId,
          key.accountName,
          key.createdAt,
          key.revokedAt ?? "-"
        ])
      )
    )
  })
).pipe(
  Command.withDescription("List API keys, revoked ones too"),
  Command.withExamples([{ command: "inferlog keys list" }, { command: "inferlog keys list --json" }])
)

const revoke = Command.make(
  "revoke",
  {
    keyId: Argument.String("key-id").pipe(
      Argument.withDescription("The part of the key before the colon"),
      Argument.withSchema(KeyId)
    ),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ keyId, json }) {
    yield* (yield* Administration).revokeKey({ keyId })
    yield* json ? Output.printJson({ keyId, revoked: true }) : Console.log(`Revoked key ${keyId}.`)
  })
).pipe(
  Command.withDescription("Revoke an API key, at once and for good; a running server refuses it from now on"),
  Command.withShortDescription("Revoke an API key"),
  Command.withExamples([{ command: "inferlog keys revoke key_0123456789abcdef_Ab12Cd34" }])
)

export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([create, list, revoke]),
  Command.provide(OperatorAccess.layer.pipe(Layer.provide(ExistingLog.layer)))
)
