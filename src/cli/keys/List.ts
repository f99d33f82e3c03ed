import { Console, Effect, Struct } from "effect"
import { Command, Flag } from "effect/cli"
import type { ListedKey } from "#projections/keys/Keys.ts"
import { accountFlag, allKeys } from "#src/cli/AccountChoice.ts"
import * as Output from "#src/cli/Output.ts"
import * as GrantText from "./GrantText.ts"

const forPrograms = (key: ListedKey) => ({
  ...Struct.pick(key, ["keyId", "accountId", "accountName", "name"]),
  createdAt: Output.time(key.issuedAt),
  revokedAt: Output.timeOrNull(key.revokedAt),
  ...GrantText.forPrograms(key),
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
  ...GrantText.header,
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
  ...GrantText.forPeople(key),
  Output.timeOrNull(key.rotatedAt) ?? "-",
  Output.timeOrNull(key.lastUsedAt) ?? "-"
]

export const list = Command.make(
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
