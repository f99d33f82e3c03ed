import { Console, Effect, Option, Stream } from "effect"
import { Command } from "effect/cli"
import type { KeyId } from "#domain/Ids.ts"
import type { ListedWorkerKey } from "#projections/keys/Keys.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as Output from "#src/cli/Output.ts"
import * as WorkerKeyText from "./WorkerKeyText.ts"

const forPrograms = (key: ListedWorkerKey) => ({
  keyId: key.keyId,
  name: key.name,
  createdAt: Output.time(key.issuedAt),
  revokedAt: Output.timeOrNull(key.revokedAt),
  ...WorkerKeyText.forPrograms(key),
  rotatedAt: Output.timeOrNull(key.rotatedAt)
})

const header = ["KEY", "NAME", "CREATED", "REVOKED", ...WorkerKeyText.header, "ROTATED"]

const forPeople = (key: ListedWorkerKey) => [
  key.keyId,
  key.name,
  Output.time(key.issuedAt),
  Output.timeOrNull(key.revokedAt) ?? "-",
  ...WorkerKeyText.forPeople(key),
  Output.timeOrNull(key.rotatedAt) ?? "-"
]

const allKeys = Effect.gen(function* () {
  const { listWorkerKeys } = yield* Administration
  const pages = Stream.paginate(Option.none<KeyId>(), (after) =>
    Effect.map(
      listWorkerKeys({ after: Option.getOrNull(after) }),
      (page) =>
        [page, Option.map(Option.fromUndefinedOr(page.at(-1)), ({ keyId }) => Option.some(keyId))] as const
    )
  )
  return yield* Stream.runCollect(pages)
})

export const list = Command.make(
  "list",
  { json: Output.json },
  Effect.fnUntraced(function* ({ json }) {
    const keys = yield* allKeys
    if (json) return yield* Output.printJson(keys.map(forPrograms))
    if (keys.length === 0) return yield* Console.error("There are no worker keys.")
    yield* Console.log(Output.table(header, keys.map(forPeople)))
  })
).pipe(
  Command.withDescription("List worker keys with their models, revoked and expired keys included"),
  Command.withShortDescription("List worker keys"),
  Command.withExamples([{ command: "inferlog workers list" }, { command: "inferlog workers list --json" }])
)
