import { Console, Effect, Struct, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import type { ListedKey } from "#projections/keys/KeyViews.ts"
import { type Grant, Scope } from "#domain/account/Grant.ts"
import * as Money from "#domain/Money.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import { accountFlag, allKeys, chosenAccount } from "#src/cli/AccountChoice.ts"
import * as Output from "#src/cli/Output.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as KeyChanges from "./KeyChanges.ts"
import * as GrantFlags from "./GrantFlags.ts"

const grantForPrograms = ({ expiresAt, modelEndpoints, monthlyBudget, origins, scopes }: Grant) => ({
  scopes,
  modelEndpoints,
  monthlyBudget: monthlyBudget === null ? null : Money.format(monthlyBudget),
  expiresAt: Output.timeOrNull(expiresAt),
  origins
})

const grantHeader = ["SCOPES", "MODELS", "BUDGET", "EXPIRES", "ORIGINS"]

const grantForPeople = (grant: Grant): ReadonlyArray<string> => [
  Scope.literals.every((scope) => grant.scopes.includes(scope)) ? "all" : grant.scopes.join(","),
  grant.modelEndpoints?.join(",") ?? "all",
  grant.monthlyBudget === null ? "-" : Money.format(grant.monthlyBudget),
  Output.timeOrNull(grant.expiresAt) ?? "-",
  grant.origins?.join(",") ?? "-"
]

const create = Command.make(
  "create",
  {
    account: accountFlag,
    name: Flags.name("Purpose of the key"),
    ...GrantFlags.flags,
    json: Output.json
  },
  Effect.fnUntraced(function* ({ account, json, name, ...given }) {
    const grant = yield* GrantFlags.grantOf(given)
    const accountId = yield* chosenAccount(account)
    const { key, keyId } = yield* (yield* Administration).issueKey({ accountId, name, grant })
    yield* Console.error(`Created key ${keyId} of account ${accountId}. Shown only once:`)
    yield* json
      ? Output.printJson({ accountId, keyId, key: Redacted.value(key), ...grantForPrograms(grant) })
      : Console.log(Redacted.value(key))
  })
).pipe(
  Command.withDescription(
    "Create an API key and print it. It is shown only once, because the log stores only its hash"
  ),
  Command.withShortDescription("Create an API key"),
  Command.withExamples([
    { command: "inferlog keys create --name ci" },
    { command: "inferlog keys create --account acc_0123456789abcdef --name ci --json" },
    {
      command:
        "inferlog keys create --name ocr --scopes requests:write,requests:read --models vision/ocr --monthly-budget 25 --expires 90d",
      description: "One model, up to 25 USD a month, for 90 days"
    }
  ])
)

const forPrograms = (key: ListedKey) => ({
  ...Struct.pick(key, ["keyId", "accountId", "accountName", "name"]),
  createdAt: Output.time(key.issuedAt),
  revokedAt: Output.timeOrNull(key.revokedAt),
  ...grantForPrograms(key),
  rotatedAt: Output.timeOrNull(key.rotatedAt),
  lastUsedAt: Output.timeOrNull(key.lastUsedAt)
})

const header = [
  "KEY",
  "NAME",
  "ACCOUNT",
  "ACCOUNT NAME",
  "CREATED",
  "REVOKED",
  ...grantHeader,
  "ROTATED",
  "LAST USED"
]

const forPeople = (key: ListedKey) => [
  key.keyId,
  key.name,
  key.accountId,
  key.accountName,
  Output.time(key.issuedAt),
  Output.timeOrNull(key.revokedAt) ?? "-",
  ...grantForPeople(key),
  Output.timeOrNull(key.rotatedAt) ?? "-",
  Output.timeOrNull(key.lastUsedAt) ?? "-"
]

const list = Command.make(
  "list",
  { account: accountFlag.pipe(Flag.withDescription("Only the keys of this account")), json: Output.json },
  Effect.fnUntraced(function* ({ account, json }) {
    const keys = yield* allKeys(account)
    if (json) return yield* Output.printJson(keys.map(forPrograms))
    if (keys.length === 0) return yield* Console.error("There are no keys.")
    yield* Console.log(Output.table(header, keys.map(forPeople)))
  })
).pipe(
  Command.withDescription("List API keys with their grants, revoked and expired keys included"),
  Command.withShortDescription("List API keys"),
  Command.withExamples([{ command: "inferlog keys list" }, { command: "inferlog keys list --json" }])
)

const words = { noun: "key", one: "an API key" }

const rotate = KeyChanges.rotate(words, ({ rotateKey }, options) => rotateKey(options)).pipe(
  Command.withExamples([
    { command: "inferlog keys rotate key_0123456789abcdef_Ab12Cd34" },
    {
      command: "inferlog keys rotate key_0123456789abcdef_Ab12Cd34 --grace 0",
      description: "Refuse the previous secret at once"
    }
  ])
)

const revoke = KeyChanges.revoke(words, "A running server refuses it at once", ({ revokeKey }, options) =>
  revokeKey(options)
).pipe(Command.withExamples([{ command: "inferlog keys revoke key_0123456789abcdef_Ab12Cd34" }]))

export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([create, list, rotate, revoke]),
  Command.provide(OperatorAccess.layerExisting),
  Remote.administers
)
