import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import type { KeyId } from "#domain/Ids.ts"
import type { ListedWorkerKey } from "#projections/keys/Keys.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as Pages from "#src/edges/admin/Pages.ts"
import * as Output from "#src/cli/Output.ts"

const forPrograms = (key: ListedWorkerKey) => ({
  keyId: key.keyId,
  name: key.name,
  createdAt: Output.time(key.issuedAt),
  revokedAt: Output.timeOrNull(key.revokedAt),
  modelEndpoints: key.modelEndpoints,
  expiresAt: Output.timeOrNull(key.expiresAt),
  rotatedAt: Output.timeOrNull(key.rotatedAt)
})

const header = ["KEY", "NAME", "CREATED", "REVOKED", "MODELS", "EXPIRES", "ROTATED"]

const forPeople = (key: ListedWorkerKey) => [
  key.keyId,
  key.name,
  Output.time(key.issuedAt),
  Output.timeOrNull(key.revokedAt) ?? "-",
  key.modelEndpoints?.join(",") ?? "all",
  Output.timeOrNull(key.expiresAt) ?? "-",
  Output.timeOrNull(key.rotatedAt) ?? "-"
]

export const list = Command.make(
  "list",
  { json: Output.json },
  Effect.fnUntraced(function* ({ json }) {
    const { listWorkerKeys } = yield* Administration
    const keys = yield* Pages.collect(
      (after: KeyId | null) => listWorkerKeys({ after }),
      ({ keyId }) => keyId
    )
    if (json) return yield* Output.printJson(keys.map(forPrograms))
    if (keys.length === 0) return yield* Console.error("There are no worker keys.")
    yield* Console.log(Output.table(header, keys.map(forPeople)))
  })
).pipe(
  Command.withDescription("List worker keys with their models, revoked and expired keys included"),
  Command.withShortDescription("List worker keys"),
  Command.withExamples([{ command: "inferlog workers list" }, { command: "inferlog workers list --json" }])
)
